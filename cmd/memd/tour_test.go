package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// block is a code block of the README.
var block = regexp.MustCompile("(?s)```(sh|json|text)\n(.*?)```")

// TestTheTourOfTheREADME runs each command of the tour as it is printed, at another
// address, and holds the output against what the README shows; … stands for anything.
func TestTheTourOfTheREADME(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tour, _ := strings.Cut(string(readme), "<!-- tour -->")
	tour, _, ok := strings.Cut(tour, "<!-- end of tour -->")
	if !ok {
		t.Fatal("the README has no tour")
	}
	d := start(t, dataDir(t))
	blocks := block.FindAllStringSubmatch(tour, -1)
	if len(blocks) < 8 || len(blocks)%2 != 0 {
		t.Fatalf("the tour has %d blocks, want commands and their outputs in turn", len(blocks))
	}
	for i := 0; i < len(blocks); i += 2 {
		command, output := blocks[i], blocks[i+1]
		if command[1] != "sh" || output[1] == "sh" {
			t.Fatalf("block %d is not a command followed by its output", i)
		}
		script := strings.ReplaceAll(command[2], "http://127.0.0.1:7411", d.url)
		got, err := exec.Command("bash", "-c", "set -eo pipefail\n"+script).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command[2], err, got)
		}
		if !shows(output[2], string(got)) {
			t.Errorf("%s\nprints\n%s\nand not\n%s", command[2], got, output[2])
		}
	}
}

// shows says whether got is what want shows: … stands for anything, on a line of its
// own for any number of lines.
func shows(want, got string) bool {
	var pattern strings.Builder
	for line := range strings.Lines(strings.TrimSpace(want) + "\n") {
		if line == "…\n" {
			pattern.WriteString(`(?:.*\n)*`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*"))
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(strings.TrimSpace(got) + "\n")
}

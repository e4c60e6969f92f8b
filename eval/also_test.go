package main

import (
	"bytes"
	"errors"
	"io/fs"
	"testing"
)

// A folder to measure on beside the rest that is not there is told before anything is measured.
func TestAFolderThatIsNotThere(t *testing.T) {
	var out bytes.Buffer
	for _, o := range []options{{set: "all", data: "testdata", also: t.TempDir()}, {set: "all", data: "testdata", recall: t.TempDir()}} {
		if err := run(t.Context(), &out, o); !errors.Is(err, fs.ErrNotExist) || out.Len() > 0 {
			t.Errorf("%+v: %v, %q", o, err, out.String())
		}
	}
}

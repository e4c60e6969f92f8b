package assemble

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/memdhq/memd"
)

// BenchmarkCompose is a context of 20 turns and ten memories; the counts of its texts
// are known after the first.
func BenchmarkCompose(b *testing.B) {
	c := newTestComposer(b)
	m := material{budget: 8000, limit: 10, render: RenderMessages}
	var raws []string
	for i := range 20 {
		raws = append(raws,
			fmt.Sprintf(`{"role":"user","content":"Question %d: what would you take along for a week of walking along the coast in early spring, given what I told you about my knees?"}`, i),
			fmt.Sprintf(`{"role":"assistant","content":"Answer %d: two pairs of light shoes, poles, a wind jacket and something warm for the evenings, and shorter days than you would plan without those knees."}`, i))
	}
	m.window = session(b, raws...)
	for i := range 30 {
		m.memories = append(m.memories, memory("user", fmt.Sprintf("My left knee hurts after %d km on a slope, so I walk with poles", i), int64(1000+i)))
	}
	m.memories[3] = memd.Memory{Memory: "I told you about my knees", Role: "user", Sources: []int64{1}}
	b.ReportAllocs()
	for b.Loop() {
		if out := c.made(m); len(out.messages) != 41 {
			b.Fatal(len(out.messages))
		}
	}
}

func BenchmarkCountUnknown(b *testing.B) {
	c := newTestCounter(b)
	text := "two pairs of light shoes, poles, a wind jacket and something warm for the evenings, and shorter days than you would plan without those knees."
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		c.countChunk(text)
	}
}

// BenchmarkHugeMessages is a context of a newest message and five open ones of 1 MB each; what
// it takes is also given in processor time for each of these.
func BenchmarkHugeMessages(b *testing.B) {
	const size, open = 1 << 20, 5
	for _, of := range []struct{ name, unit string }{
		{"prose", "She keeps bees on the roof, and the harbour opens at nine. "}, {"passwords", "My password is hunter2, and she keeps bees on the roof. "},
		{"no blanks", "x"}, {"Han", "里斯本很好"}, {"JSON", `{"row": 1, "value": "x"}, `}, {"markers", "system: <|x|>\n"}, {"lines", "a\n"},
		{"digits", "0123456789"}, {"base64", "MIIEpAIBAAKCAQEA7bq0Zkq3Jt1uZ0yT4mVx8sW2dYf6"},
	} {
		var long strings.Builder
		for i := 0; long.Len() < size; i++ { // no two chunks of it are the same
			fmt.Fprintf(&long, "%s%x", of.unit, uint32(i)*2654435761)
		}
		text := long.String()
		for what, newest := range map[string]string{"newest": text, "open": "And now?"} {
			for _, budget := range []int{4000, 100_000} {
				b.Run(fmt.Sprintf("%s/%s/%d", of.name, what, budget), func(b *testing.B) {
					c := newTestComposer(b)
					say := func(id int, text string) said {
						return logged(b, int64(id), fmt.Sprintf(`{"role":"user","content":%s}`, quote(text)))
					}
					m := material{quotes: true, budget: budget, render: RenderMessages, window: []said{say(open+1, newest)}}
					for i := range open {
						s := say(i+1, text[i:])
						s.open = true
						m.open = append(m.open, s)
					}
					before := processorTime(b)
					for b.Loop() {
						c.counter = newTestCounter(b).until(nil)
						c.secrets = newSecrets(false, nil, m.open, m.window)
						c.certain(m)
						c.made(m)
					}
					b.ReportMetric((processorTime(b)-before)*1000/float64(b.N)/(open+1), "cpu-ms/MB")
				})
			}
		}
	}
}

// processorTime is how many seconds of it this process has had.
func processorTime(b *testing.B) float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

package assemble

import (
	"fmt"
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

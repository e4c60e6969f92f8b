package longterm

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

// A patch within a patch is not read again for each level that it lies in.
func TestADeepMergePatchIsAppliedInLinearWork(t *testing.T) {
	deep := func(depth int, value string) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"a":`, depth) + value + strings.Repeat(`}`, depth))
	}
	allocated := func(depth int) float64 {
		target, patch := deep(depth, `{"was":1}`), deep(depth, `{"is":2}`)
		want := string(deep(depth, `{"is":2,"was":1}`))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := MergePatch(target, patch)
		runtime.ReadMemStats(&after)
		if string(got) != want {
			t.Fatalf("a patch of depth %d is not applied", depth)
		}
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	allocated(3000) // what is made once
	if once, thrice := allocated(3000), allocated(9000); thrice > 5*once {
		t.Errorf("%v bytes of work for a depth of 3000, %v for 9000", once, thrice)
	}
}

// storedMetadata gives the most bytes that the metadata of a memory has.
func (b *bench) storedMetadata() int {
	b.Helper()
	return query[int](b, `SELECT coalesce(max(length(metadata::text)), 0)::int FROM memory`)
}

// spaces is for those that Postgres writes between the members of an object.
const spaces = 4 << 10

func TestMetadataStaysWithinItsBoundHoweverItGrows(t *testing.T) {
	t.Run("by a patch", func(t *testing.T) {
		b := newStore(t)
		id := b.verbatim("alice", "tea")[0].ID
		short := `{"n":[` + strings.TrimSuffix(strings.Repeat("1e1000,", 300), ",") + `]}` // which is long once it is stored
		small := `{"n":[` + strings.TrimSuffix(strings.Repeat("-1E-1000,", 300), ",") + `]}`
		long := `{"s":"` + strings.Repeat("x", MaxMetadata) + `"}`
		for _, patch := range []string{short, small, long} {
			_, err := b.Edit(t.Context(), tenant, []Edit{{ID: id, Metadata: json.RawMessage(patch)}}, "api")
			if e, ok := err.(*memd.Error); !ok || e.Kind != memd.Invalid || e.Field != "metadata" {
				t.Errorf("%.20s…: %v", patch, err)
			}
		}
		half := strings.Repeat("x", MaxMetadata/2)
		b.edit(Edit{ID: id, Metadata: json.RawMessage(`{"a":"` + half + `"}`)})
		if _, err := b.Edit(t.Context(), tenant, []Edit{{ID: id, Metadata: json.RawMessage(`{"b":"` + half + `"}`)}}, "api"); memd.KindOf(err) != memd.Invalid {
			t.Errorf("two patches: %v", err)
		}
		b.edit(Edit{ID: id, Metadata: json.RawMessage(`{"a":null,"b":"` + half + `"}`)})
		if n := b.storedMetadata(); n > MaxMetadata+spaces {
			t.Errorf("%d bytes are stored", n)
		}
	})
	for name, value := range map[string]string{
		"by its sources":                  `"` + strings.Repeat("x", MaxMetadata/3) + `"`,
		"by its sources' numbers":         `[` + strings.TrimSuffix(strings.Repeat("1e1000,", 100), ",") + `]`,
		"by its sources' small fractions": `[` + strings.TrimSuffix(strings.Repeat("1e-1000,", 100), ",") + `]`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newStore(t)
			var said []memd.Message
			for i := range 6 {
				said = append(said, memd.Message{UserID: "alice", SessionID: "s", Text: "I like tea", Metadata: json.RawMessage(fmt.Sprintf(`{"k%d":%s,"small%d":%d}`, i, value, i, i))})
			}
			b.learn(said...)
			b.learn(memd.Message{UserID: "alice", SessionID: "s", Text: "I like tea", Metadata: json.RawMessage(`{"last":` + value + `}`)})
			if n := b.storedMetadata(); n > MaxMetadata+spaces {
				t.Errorf("%d bytes are stored", n)
			}
			// What has room is there, also after what has none.
			m := b.list(ListQuery{Scope: user("alice")})[0]
			for _, key := range []string{`"k0"`, `"small0"`, `"small5"`} {
				if !strings.Contains(string(m.Metadata), key) {
					t.Errorf("%s is missing", key)
				}
			}
		})
	}
}

package shortterm

import (
	"slices"
	"testing"

	"github.com/memdhq/memd"
)

// What is not to be learned from is no context of what comes behind it either.
func TestWhatIsNotLearnedFromIsNoContext(t *testing.T) {
	f := open(t, Config{})
	off := call(t, "s", "unheard", "unheard too")
	off.Infer = false
	f.append(t, off)
	userOnly := call(t, "s", "mine", "a question")
	userOnly.Learn = []memd.Role{memd.RoleUser}
	asked := f.append(t, userOnly)
	assistantOnly := call(t, "s", "not mine", "theirs")
	assistantOnly.Learn = []memd.Role{memd.RoleAssistant}
	theirs := f.append(t, assistantOnly)
	all := f.claim(t, asked.SessionNo, 100, 12)
	if len(all.Before) != 0 {
		t.Errorf("before all that is learned from stands %+v", all.Before)
	}
	f.settleAll(t, all, StateDone)
	last := f.append(t, call(t, "s", "last"))
	f.do(t, `UPDATE ingest_settled SET state = 'skipped' WHERE message_id = $1`, asked.Messages[0].ID)
	for before, want := range map[int][]int64{
		12: {asked.Messages[1].ID, theirs.Messages[1].ID}, // what was dropped is none either
		1:  {theirs.Messages[1].ID},
		0:  nil,
	} {
		c := f.claim(t, last.SessionNo, 1, before)
		var got []int64
		for _, m := range c.Before {
			got = append(got, m.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %d before: %v, want %v", before, got, want)
		}
		if err := f.Release(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}

	// The question comes in the call of its answer.
	together := call(t, "q", "Do you live in Oslo?", "Yes.")
	together.Messages[0].Role, together.Messages[1].Role = memd.RoleAssistant, memd.RoleUser
	together.Learn = []memd.Role{memd.RoleUser}
	posted := f.append(t, together)
	if c := f.claim(t, posted.SessionNo, 10, 12); len(c.Before) != 1 || c.Before[0].ID != posted.Messages[0].ID {
		t.Errorf("before the answer stands %+v", c.Before)
	}
}

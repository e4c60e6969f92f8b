package longterm

import (
	"testing"

	"github.com/memdhq/memd"
)

// Of a message of which something was taken away the rest is shown, whatever parts it.
func TestToldRest(t *testing.T) {
	for _, c := range []struct{ taken, text, want string }{
		{"my sister anna is a vet", "deploy it to staging. my sister anna is a vet", "deploy it to staging."},
		{"my sister anna is a vet", "my sister anna is a vet, write me a poem about pirates", "write me a poem about pirates"},
		{"my sister anna is a vet", "my sister anna is a vet, tell anna about the pirates", ""},
		{"my sister anna is a vet", "my sister anna is a vet, she loves the pirates of her town", ""},
		{"my sister anna is a vet", "Something else altogether, write me a poem", ""},
	} {
		a := Account{Of: map[int64]Told{1: {Taken: true, taken: []away{termsOf(c.taken)}}}}
		if got := a.Shown(1, memd.RoleUser, c.text); got != c.want {
			t.Errorf("without %q of %q is shown %q, want %q", c.taken, c.text, got, c.want)
		}
	}
}

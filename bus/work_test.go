package bus

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWorkSurvivesTheWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Work{
			Tenant:     rapid.StringN(1, 40, -1).Draw(t, "tenant"),
			SessionNo:  rapid.Int64Range(1, 1<<62).Draw(t, "session"),
			MessageIDs: rapid.SliceOfN(rapid.Int64(), 1, 20).Draw(t, "ids"),
			Backfill:   rapid.Bool().Draw(t, "backfill"),
		}
		w.Tenant = strings.ToValidUTF8(w.Tenant, "?")
		s := subject("memd", w)
		if strings.ContainsAny(s, " *>\t\r\n") || strings.Contains(s, "..") || len(strings.Split(s, ".")) != 4 {
			t.Fatalf("subject %q is none", s)
		}
		data, err := encode(w)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(s, data)
		if err != nil || !reflect.DeepEqual(got, w) {
			t.Fatalf("decode = %+v, %v; want %+v", got, err, w)
		}
	})
}

func TestTenantsDoNotShareASubject(t *testing.T) {
	seen := map[string]string{}
	for _, tenant := range []string{"a", "A", "a.b", "a b", "a*", ">", "ä", "", "0", "aa"} {
		s := subject("memd", Work{Tenant: tenant, SessionNo: 1})
		if other, ok := seen[s]; ok {
			t.Errorf("%q and %q share %s", tenant, other, s)
		}
		seen[s] = tenant
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("memd.live.me.1", []byte(`{"v":1,"tenant":"a","session":1,"messages":[1,2]}`))
	f.Add("memd.backfill.me.1", []byte(`{"v":2}`))
	f.Add("x", []byte(`{"v":1,"tenant":"a","session":1}`))
	f.Add("", []byte("\x00"))
	f.Fuzz(func(t *testing.T, subj string, data []byte) {
		w, err := decode(subj, data)
		if err != nil {
			return
		}
		if w.Tenant == "" || w.SessionNo <= 0 {
			t.Errorf("decode took %q: %+v", data, w)
		}
		again, err := encode(w)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decode(subject("memd", w), again); err != nil || !reflect.DeepEqual(got, w) {
			t.Errorf("decode(encode(%+v)) = %+v, %v", w, got, err)
		}
	})
}

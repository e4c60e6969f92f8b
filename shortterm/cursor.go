package shortterm

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"

	"github.com/memdhq/memd"
)

// list names a list that is read page by page: what it is of, its tenant, and all that
// narrows it. A cursor holds the number of the last item of a page and the list's
// fingerprint: it is a place in one list, and refused by any other.
type list []string

func (l list) fingerprint() []byte {
	name, err := json.Marshal(l)
	if err != nil {
		panic(err) // texts always encode
	}
	sum := sha256.Sum256(name)
	return sum[:8]
}

func (l list) writeCursor(n int64) string {
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(l.fingerprint(), uint64(n)))
}

// readCursor gives the number that the next page's must be below; "" is before the
// first page.
func (l list) readCursor(cursor string) (int64, error) {
	if cursor == "" {
		return math.MaxInt64, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil && len(b) == 16 && bytes.Equal(b[:8], l.fingerprint()) {
		if n := int64(binary.BigEndian.Uint64(b[8:])); n > 0 && l.writeCursor(n) == cursor {
			return n, nil
		}
	}
	return 0, memd.InvalidField("cursor", "is not one of this list")
}

package embed

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
)

// vector reads an embedding in either of the two forms that servers give it:
// an array of numbers, or the same as little-endian float32s in base64. A null
// among the numbers, which is how some write NaN, is NaN.
type vector []float32

// UnmarshalJSON is json.Unmarshaler's.
func (v *vector) UnmarshalJSON(raw []byte) error {
	switch {
	case len(raw) > 0 && raw[0] == '"':
		return v.unmarshalBase64(raw)
	case bytes.Equal(raw, []byte("null")):
		*v = nil
		return nil
	case !bytes.Contains(raw, []byte("null")):
		return json.Unmarshal(raw, (*[]float32)(v))
	}
	var numbers []*float32
	if err := json.Unmarshal(raw, &numbers); err != nil {
		return err
	}
	*v = make(vector, len(numbers))
	for i, n := range numbers {
		(*v)[i] = float32(math.NaN())
		if n != nil {
			(*v)[i] = *n
		}
	}
	return nil
}

func (v *vector) unmarshalBase64(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	if len(packed)%4 != 0 {
		return errors.New("not a whole number of float32s")
	}
	*v = make(vector, len(packed)/4)
	for i := range *v {
		(*v)[i] = math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:]))
	}
	return nil
}

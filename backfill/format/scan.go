package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
)

// notJSON and cutOff are why a value is none.
const (
	notJSON = "is not valid JSON"
	cutOff  = "the file ends in the midst of it"
)

const (
	// maxValue is the most bytes of one value, or of one line, that is held.
	maxValue = 256 << 20
	// lookahead is how much of a source is looked at to tell what it is.
	lookahead = 256 << 10
)

// value is one JSON value of a stream, or what stands in its place.
type value struct {
	raw  []byte
	line int
	// fault says why raw is none.
	fault string
}

// scanner takes a stream of JSON apart without holding more of it than one value. It goes by
// quotes and brackets alone: a value that is none inside stands for itself, and the next is read.
type scanner struct {
	r    *bufio.Reader
	line int
	most int
}

func newScanner(r *bufio.Reader) *scanner { return &scanner{r: r, line: 1, most: maxValue} }

func (s *scanner) next() (byte, error) {
	c, err := s.r.ReadByte()
	if c == '\n' && err == nil {
		s.line++
	}
	return c, err
}

func (s *scanner) back(c byte) {
	_ = s.r.UnreadByte()
	if c == '\n' {
		s.line--
	}
}

// peek gives the next byte that is no space, and leaves it there.
func (s *scanner) peek() (byte, error) {
	for {
		c, err := s.next()
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t', '\r', '\n', 0:
		default:
			s.back(c)
			return c, nil
		}
	}
}

// lines gives the values of a stream that has one on each line.
func (s *scanner) lines() iter.Seq2[value, error] {
	return func(yield func(value, error) bool) {
		for {
			v := value{line: s.line}
			for {
				part, err := s.r.ReadSlice('\n')
				if len(v.raw)+len(part) <= s.most {
					v.raw = append(v.raw, part...)
				} else {
					v.fault = "is too long"
				}
				if errors.Is(err, bufio.ErrBufferFull) {
					continue
				}
				if err != nil && !errors.Is(err, io.EOF) {
					yield(value{}, err)
					return
				}
				s.line++
				if v.raw = trimSpace(v.raw); len(v.raw) > 0 {
					all := []value{v}
					if v.fault == "" {
						all = onLine(checked(v))
					}
					for _, v := range all {
						if !yield(v, nil) {
							return
						}
					}
				}
				if err != nil {
					return
				}
				break
			}
		}
	}
}

// onLine gives the values of a line: several, where files without a line break at their end
// were joined.
func onLine(v value) (all []value) {
	if v.fault != notJSON || !bytes.Contains(v.raw, []byte("}{")) {
		return []value{v}
	}
	for d := json.NewDecoder(bytes.NewReader(v.raw)); ; {
		var raw json.RawMessage
		switch err := d.Decode(&raw); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			return []value{v}
		}
		all = append(all, value{raw: raw, line: v.line})
	}
}

// values gives the values of a stream one after the other: those that stand in it, or, where it is
// an array, that array's.
func (s *scanner) values() iter.Seq2[value, error] {
	return func(yield func(value, error) bool) {
		if c, err := s.peek(); err == nil && c == '[' {
			_, _ = s.next()
			s.elements(yield)
			return
		}
		for {
			if _, err := s.peek(); err != nil {
				if !errors.Is(err, io.EOF) {
					yield(value{}, err)
				}
				return
			}
			v, err := s.value()
			if err == nil && v.fault == notJSON && len(v.raw) > 0 && bytes.IndexByte([]byte(`{["`), v.raw[0]) < 0 {
				err = s.restOfLine(&v) // it is no JSON at all
			}
			rest := err == nil && s.unread(&v)
			if !yield(v, err) || err != nil {
				return
			}
			if rest {
				s.lines()(yield)
				return
			}
		}
	}
}

// restOfLine adds to a value what else stands on its line.
func (s *scanner) restOfLine(v *value) error {
	for {
		c, err := s.next()
		if errors.Is(err, io.EOF) || c == '\n' {
			return nil
		}
		if err != nil {
			return err
		}
		if len(v.raw) < maxBadText {
			v.raw = append(v.raw, c)
		}
	}
}

// unread gives all but the first line back of a value that a stream ended in, where others follow it
// on lines of their own: it is that line alone then that is no value.
func (s *scanner) unread(v *value) bool {
	end := bytes.IndexByte(v.raw, '\n')
	if v.fault != cutOff || end < 0 {
		return false
	}
	rest := v.raw[end+1:]
	if next := bytes.TrimLeft(rest, " \t\r\n"); len(next) == 0 || next[0] != '{' && next[0] != '[' || !json.Valid(trimSpace(next[:len(next)-len(afterLine(next))])) {
		return false
	}
	v.raw, v.fault = v.raw[:end:end], notJSON
	s.r, s.line = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(rest), s.r), lookahead), v.line+1
	return true
}

// afterLine is what comes after the first line.
func afterLine(text []byte) []byte {
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	return rest
}

// members gives the elements of the arrays that stand as one of names in an object, or in an object
// that stands so, and nothing else of it.
func (s *scanner) members(names map[string]bool) iter.Seq2[value, error] {
	return func(yield func(value, error) bool) { s.object(names, yield) }
}

// object reads one object; it gives false where reading is over.
func (s *scanner) object(names map[string]bool, yield func(value, error) bool) bool {
	if c, err := s.peek(); err != nil || c != '{' {
		return false
	}
	_, _ = s.next()
	for {
		c, err := s.peek()
		switch {
		case err != nil:
			return s.cutOff(err, yield)
		case c == '}':
			_, _ = s.next()
			return true
		case c == ',':
			_, _ = s.next()
			continue
		case c != '"':
			yield(value{line: s.line, fault: notJSON}, nil)
			return false
		}
		key, err := s.value()
		if err != nil {
			return s.cutOff(err, yield)
		}
		var name string
		_ = json.Unmarshal(key.raw, &name)
		if c, err = s.peek(); err == nil && c == ':' {
			_, _ = s.next()
			c, err = s.peek()
		}
		switch {
		case err != nil:
			return s.cutOff(err, yield)
		case names[name] && c == '[':
			_, _ = s.next()
			if !s.elements(yield) {
				return false
			}
		case names[name] && c == '{':
			if !s.object(names, yield) {
				return false
			}
		default:
			if _, err := s.value(); err != nil {
				return s.cutOff(err, yield)
			}
		}
	}
}

func (s *scanner) cutOff(err error, yield func(value, error) bool) bool {
	if errors.Is(err, io.EOF) {
		yield(value{line: s.line, fault: cutOff}, nil)
	} else {
		yield(value{}, err)
	}
	return false
}

// elements gives what stands in an array up to its end; false where reading is over.
func (s *scanner) elements(yield func(value, error) bool) bool {
	for {
		c, err := s.peek()
		switch {
		case err != nil:
			return s.cutOff(err, yield)
		case c == ']':
			_, _ = s.next()
			return true
		case c == ',':
			_, _ = s.next()
			continue
		}
		v, err := s.value()
		if !yield(v, err) || err != nil {
			return false
		}
	}
}

// value reads one value. One that the stream ends in is given with a fault.
func (s *scanner) value() (value, error) {
	v := value{line: s.line}
	depth, quoted, escaped := 0, false, false
	for n := 0; ; n++ {
		c, err := s.next()
		if errors.Is(err, io.EOF) {
			if depth > 0 || quoted {
				v.fault = cutOff
			}
			break
		}
		if err != nil {
			return v, err
		}
		if !quoted && depth == 0 && n > 0 && (isSpace(c) || bytes.IndexByte([]byte(`,:]}[{"`), c) >= 0) {
			s.back(c)
			break
		}
		if len(v.raw) < s.most {
			v.raw = append(v.raw, c)
		} else {
			v.fault = "is too long"
		}
		whole := false
		switch {
		case quoted && c == '\n': // which no string has: it is not closed, and costs no line after it
			v.fault = notJSON
			whole = true
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
			whole = !quoted && depth == 0
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
			whole = depth <= 0
		}
		if whole {
			break
		}
	}
	if v.fault != "" {
		return v, nil
	}
	return checked(v), nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0 }

func trimSpace(raw []byte) []byte { return bytes.Trim(raw, " \t\r\n\x00") }

// checked says whether a value is JSON. NUL bytes, which files that a crash cut have, are no part
// of it.
func checked(v value) value {
	if bytes.IndexByte(v.raw, 0) >= 0 {
		v.raw = bytes.ReplaceAll(v.raw, []byte{0}, nil)
	}
	if !json.Valid(v.raw) {
		v.fault = notJSON
	}
	return v
}

// each gives the values of a stream as Ts, and what is none is set aside for that reason. It gives false
// where reading is over before its end.
func each[T any](file, none string, values iter.Seq2[value, error], yield func(Item, error) bool, take func(T, value) bool) bool {
	for v, err := range values {
		if err != nil {
			yield(Item{}, err)
			return false
		}
		var of T
		if v.fault == "" && json.Unmarshal(v.raw, &of) != nil {
			v.fault = none
		}
		if v.fault == "" {
			if !take(of, v) {
				return false
			}
		} else if !yield(bad(Place{file, v.line}, v.raw, v.fault), nil) {
			return false
		}
	}
	return true
}

// listsAs gives values, of which those that are lists stand as one member of an object.
func listsAs(name string, values iter.Seq2[value, error]) iter.Seq2[value, error] {
	return func(yield func(value, error) bool) {
		for v, err := range values {
			if err == nil && v.fault == "" && v.raw[0] == '[' {
				v.raw = append(append([]byte(`{"`+name+`":`), v.raw...), '}')
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// all reads a stream in the form that it has.
func (s *scanner) all(lines bool) iter.Seq2[value, error] {
	if lines {
		return s.lines()
	}
	return s.values()
}

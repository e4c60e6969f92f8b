package backfill

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
)

const (
	// heldBytes is how much is held in memory before it goes to a file.
	heldBytes = 32 << 20
	// chunkBytes is how much of it is one piece of memory, which is used again and again: records that
	// were allocated one by one would take as much once more until they are collected.
	chunkBytes = 1 << 20
	// maxRuns is how many files there are before they become one: of each a record is held while they are
	// read together.
	maxRuns = 64
	// readBytes is how much of each is read at a time.
	readBytes = 64 << 10
	// maxRecord bounds what is read back of one record.
	maxRecord = 1 << 30
)

// record is one thing to be put into order: by its key, and of one key in the order it came.
type record struct {
	key  int64
	seq  uint64
	data []byte
}

func (r record) compare(s record) int {
	return cmp.Or(cmp.Compare(r.key, s.key), cmp.Compare(r.seq, s.seq))
}

// spill puts records into order, in files if they are many.
type spill struct {
	dir   string
	most  int
	held  []record
	bytes int
	next  uint64
	runs  []*os.File
	// chunks hold what held says, as far as the last of the first filled ones.
	chunks [][]byte
	filled int
}

// keep copies data to where it stays until all that is held goes to a file.
func (s *spill) keep(data []byte) []byte {
	if len(data) > chunkBytes/4 {
		return slices.Clone(data)
	}
	for s.filled < len(s.chunks) && len(s.chunks[s.filled])+len(data) > chunkBytes {
		s.filled++
	}
	if s.filled == len(s.chunks) {
		s.chunks = append(s.chunks, make([]byte, 0, chunkBytes))
	}
	c := &s.chunks[s.filled]
	from := len(*c)
	*c = append(*c, data...)
	return (*c)[from:len(*c):len(*c)]
}

// add takes a record, of which it makes a copy.
func (s *spill) add(key int64, data []byte) error {
	s.held = append(s.held, record{key, s.next, s.keep(data)})
	s.next++
	if s.bytes += len(data) + 64; s.bytes < s.most {
		return nil
	}
	s.sort()
	if err := s.write(func(yield func(record) error) error {
		for _, r := range s.held {
			if err := yield(r); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	clear(s.held)
	s.held, s.bytes, s.filled = s.held[:0], 0, 0
	for i := range s.chunks {
		s.chunks[i] = s.chunks[i][:0]
	}
	if len(s.runs) < maxRuns {
		return nil
	}
	old := s.runs
	s.runs = nil
	defer closeAll(old)
	return s.write(func(yield func(record) error) error {
		for r, err := range merged(old, nil) {
			if err == nil {
				err = yield(r)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *spill) sort() { slices.SortFunc(s.held, record.compare) }

// write makes a file of records that are in order. It has no name: whatever happens to this
// process, nothing is left of it.
func (s *spill) write(all func(yield func(record) error) error) error {
	f, err := os.CreateTemp(s.dir, "memd-import-")
	if err != nil {
		return fmt.Errorf("no room to put messages into order: %w", err)
	}
	s.runs = append(s.runs, f)
	_ = os.Remove(f.Name())
	w := bufio.NewWriterSize(f, readBytes)
	var head [20]byte
	err = all(func(r record) error {
		binary.BigEndian.PutUint64(head[:], uint64(r.key))
		binary.BigEndian.PutUint64(head[8:], r.seq)
		binary.BigEndian.PutUint32(head[16:], uint32(len(r.data)))
		_, _ = w.Write(head[:])
		_, err := w.Write(r.data)
		return err
	})
	if err = errors.Join(err, w.Flush()); err != nil {
		return fmt.Errorf("no room to put messages into order: %w", err)
	}
	return nil
}

// all gives all records in order. It can be asked for more than once.
func (s *spill) all() iter.Seq2[record, error] {
	s.sort()
	return merged(s.runs, s.held)
}

func (s *spill) close() {
	closeAll(s.runs)
	s.runs, s.held, s.chunks = nil, nil, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// run is a sequence of records that are in order; first is the next of it.
type run struct {
	first record
	r     *bufio.Reader
	held  []record
}

// advance reads the next record; false at the end.
func (r *run) advance() (bool, error) {
	if r.r == nil {
		if len(r.held) == 0 {
			return false, nil
		}
		r.first, r.held = r.held[0], r.held[1:]
		return true, nil
	}
	var head [20]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		return false, err
	}
	n := binary.BigEndian.Uint32(head[16:])
	if n > maxRecord {
		return false, errors.New("a file that this process wrote is not as it was")
	}
	r.first = record{int64(binary.BigEndian.Uint64(head[:])), binary.BigEndian.Uint64(head[8:]), make([]byte, n)}
	_, err := io.ReadFull(r.r, r.first.data)
	return err == nil, err
}

// runs is a heap by the next record of each.
type runs []*run

func (r runs) Len() int           { return len(r) }
func (r runs) Less(i, j int) bool { return r[i].first.compare(r[j].first) < 0 }
func (r runs) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *runs) Push(x any)        { *r = append(*r, x.(*run)) }
func (r *runs) Pop() any {
	old := *r
	last := old[len(old)-1]
	*r = old[:len(old)-1]
	return last
}

// merged gives the records of files and of held, all of which are in order, in order.
func merged(files []*os.File, held []record) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		all := runs{}
		add := func(r *run) bool {
			more, err := r.advance()
			if err != nil {
				yield(record{}, err)
				return false
			}
			if more {
				all = append(all, r)
			}
			return true
		}
		for _, f := range files {
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				yield(record{}, err)
				return
			}
			if !add(&run{r: bufio.NewReaderSize(f, readBytes)}) {
				return
			}
		}
		if !add(&run{held: held}) {
			return
		}
		heap.Init(&all)
		for all.Len() > 0 {
			r := all[0]
			if !yield(r.first, nil) {
				return
			}
			more, err := r.advance()
			switch {
			case err != nil:
				yield(record{}, err)
				return
			case more:
				heap.Fix(&all, 0)
			default:
				heap.Pop(&all)
			}
		}
	}
}

package format

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// The formats, as Options.Format and Options.Found name them.
const (
	Memd      = "memd"      // the lines of memd's own export
	OpenAI    = "openai"    // chat lines: a conversation or a message each, fine-tuning files too
	ShareGPT  = "sharegpt"  // conversations of from and value
	ChatGPT   = "chatgpt"   // conversations.json of a ChatGPT data export
	Claude    = "claude"    // conversations.json of a Claude data export
	Slack     = "slack"     // the folder of a Slack export
	LangChain = "langchain" // messages of LangChain, states and checkpoints of LangGraph
	Mem0      = "mem0"      // memories of mem0
	PowerMem  = "powermem"  // memories of PowerMem
	CSV       = "csv"       // a table with a line for each message
)

// Names are all formats.
var Names = []string{Memd, OpenAI, ShareGPT, ChatGPT, Claude, Slack, LangChain, Mem0, PowerMem, CSV}

// Options say how sources are read; the zero value is usable.
type Options struct {
	// Format is one of Names; "" has each source looked at.
	Format string
	// Place is the zone of times that do not say where they are of, and of messages whose
	// times are of UTC; nil is UTC.
	Place *time.Location
	// At is when messages were said of which nothing says when; zero leaves that open.
	At time.Time
	// Columns say which column of a table holds what; see Columns.
	Columns map[string]string
	// ByPerson has what several people said in one place parted by who said it, each with the user id
	// that the source has for them; else it is all one person's.
	ByPerson bool
	// Found is told which format a source has, if it is not nil.
	Found func(file, format string)
	// Tabled is told which columns of a table hold what, if it is not nil.
	Tabled func(file string, columns map[string]string)
	// Consumed counts the bytes that were read, if it is not nil.
	Consumed *atomic.Int64
}

func (o Options) place() *time.Location {
	if o.Place == nil {
		return time.UTC
	}
	return o.Place
}

func (o Options) zone() string { return zoneName(o.place()) }

func (o Options) found(file, format string) {
	if o.Found != nil {
		o.Found(file, format)
	}
}

// reader reads a stream of one format. lines says that it has a value on each line.
type reader func(file string, r *bufio.Reader, lines bool, o Options, yield func(Item, error) bool)

var readers = map[string]reader{
	Memd: readMemd, OpenAI: readOpenAI, ShareGPT: readShareGPT, ChatGPT: readChatGPT, Claude: readClaude, Slack: readSlackFile,
	LangChain: readLangChain, Mem0: readMem0, PowerMem: readPowerMem, CSV: readCSV, Items: readItems,
}

// Read reads what a path names: a file, plain or compressed (gzip, zstd), an archive (zip) or a
// folder. The error is one of reading, and the last that is given; what is wrong with the
// contents is an item.
func Read(name string, o Options) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		info, err := os.Stat(name)
		if err != nil {
			yield(Item{}, err)
			return
		}
		if info.IsDir() {
			folder{os.DirFS(name), name}.read(o, yield)
			return
		}
		f, err := os.Open(name)
		if err != nil {
			yield(Item{}, err)
			return
		}
		defer f.Close()
		ReadFrom(name, f, o)(yield)
	}
}

// ReadFrom reads a stream as Read does a file; name stands for it in places. An archive
// must be an io.ReaderAt and an io.Seeker too.
func ReadFrom(name string, r io.Reader, o Options) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		in := bufio.NewReaderSize(&counted{r, o.Consumed}, 64<<10)
		if magic, _ := in.Peek(4); string(magic) == "PK\x03\x04" {
			archive, err := openArchive(r)
			if err != nil {
				yield(Item{}, &readError{name, err})
				return
			}
			folder{archive, name}.read(o, yield)
			return
		}
		plain, closing, err := decompressed(in)
		if err != nil {
			yield(Item{}, &readError{name, err})
			return
		}
		defer closing()
		readStream(name, plain, o, yield)
	}
}

type counted struct {
	io.Reader
	n *atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.n != nil {
		c.n.Add(int64(n))
	}
	return n, err
}

func openArchive(r io.Reader) (fs.FS, error) {
	at, ok := r.(io.ReaderAt)
	seeker, okSeek := r.(io.Seeker)
	if !ok || !okSeek {
		return nil, errors.New("an archive can only be read from a file")
	}
	size, err := seeker.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, errors.Join(errors.New("an archive can only be read from a file"), err)
	}
	return zip.NewReader(at, size)
}

// decompressed gives what a stream holds, whichever way it is compressed.
func decompressed(in *bufio.Reader) (r io.Reader, closing func(), err error) {
	closing = func() {}
	magic, _ := in.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(in)
		return z, closing, err
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return nil, closing, err
		}
		return z, z.Close, nil
	}
	return in, closing, nil
}

// readStream reads one stream of text, and tells which format it has.
func readStream(name string, r io.Reader, o Options, yield func(Item, error) bool) {
	in := bufio.NewReaderSize(transform.NewReader(r, unicode.BOMOverride(transform.Nop)), lookahead)
	head, err := in.Peek(lookahead)
	if err != nil && !errors.Is(err, io.EOF) {
		yield(Item{}, &readError{name, err})
		return
	}
	whole := err != nil
	if len(trimSpace(head)) == 0 && whole {
		return
	}
	guess, lines := sniff(head, whole)
	format := o.Format
	if format == "" {
		format = guess
	}
	read, ok := readers[format]
	if !ok {
		yield(bad(Place{name, 0}, nil, "is of no format that is known"), nil)
		return
	}
	o.found(name, format)
	read(name, in, lines, o, func(i Item, err error) bool {
		if err != nil {
			err = &readError{name, err}
		}
		return yield(i, err)
	})
}

// folder is one on disk or in an archive.
type folder struct {
	files fs.FS
	name  string
}

func (f folder) read(o Options, yield func(Item, error) bool) {
	if err := f.each(o, yield); err != nil && !errors.Is(err, errEnough) {
		yield(Item{}, err)
	}
}

// errEnough ends a walk whose items nobody takes any more.
var errEnough = errors.New("enough")

func (f folder) each(o Options, yield func(Item, error) bool) error {
	for { // an archive may have all in one folder
		entries, err := fs.ReadDir(f.files, ".")
		if err != nil {
			return err
		}
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return isHidden(e.Name()) })
		if len(entries) != 1 || !entries[0].IsDir() || o.Format == Slack && isSlackChannel(f.files, entries[0].Name()) {
			break
		}
		if f.files, err = fs.Sub(f.files, entries[0].Name()); err != nil {
			return err
		}
		f.name = path.Join(f.name, entries[0].Name())
	}
	if o.Format == Slack || o.Format == "" && isSlack(f.files) {
		o.found(f.name, Slack)
		return readSlack(f, o, yield)
	}
	exported, _ := fs.Glob(f.files, "conversations*.json")
	if len(exported) > 0 { // of ChatGPT or Claude; what else is there are no conversations
		slices.Sort(exported)
		for _, name := range exported {
			if err := f.file(name, o, yield); err != nil {
				return err
			}
		}
		return nil
	}
	return fs.WalkDir(f.files, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil: // it costs no other
			if !yield(bad(Place{path.Join(f.name, name), 0}, nil, reasonOf(err)), nil) {
				return errEnough
			}
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case name != "." && isHidden(e.Name()):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir() || !e.Type().IsRegular():
			return nil
		}
		return f.file(name, o, yield)
	})
}

func isHidden(name string) bool { return strings.HasPrefix(name, ".") || name == "__MACOSX" }

// file reads one file of a folder. One that cannot be read, or not to its end, is set aside.
func (f folder) file(name string, o Options, yield func(Item, error) bool) error {
	at := path.Join(f.name, name)
	aside := func(err error) error {
		if !yield(bad(Place{at, 0}, nil, reasonOf(err)), nil) {
			return errEnough
		}
		return nil
	}
	file, err := f.files.Open(name)
	if err != nil {
		return aside(err)
	}
	defer file.Close()
	enough := false
	ReadFrom(at, onlyReader{file}, o)(func(i Item, failed error) bool {
		if err = failed; err != nil {
			return false
		}
		enough = !yield(i, nil)
		return !enough
	})
	switch {
	case err != nil:
		return aside(err)
	case enough:
		return errEnough
	}
	return nil
}

// reasonOf says why a file could not be read, without its name.
func reasonOf(err error) string {
	var at *fs.PathError
	var in *readError
	switch {
	case errors.As(err, &at):
		err = at.Err
	case errors.As(err, &in):
		err = in.err
	}
	return "cannot be read: " + err.Error()
}

// readError is what keeps a source from being read, or from being read to its end.
type readError struct {
	name string
	err  error
}

func (e *readError) Error() string { return e.name + ": " + e.err.Error() }

func (e *readError) Unwrap() error { return e.err }

// Aside gives what cannot be read of a source as something that is set aside, nil if it cannot be
// opened at all.
func Aside(name string, err error) *Bad {
	var in *readError
	if !errors.As(err, &in) {
		return nil
	}
	return bad(Place{name, 0}, nil, reasonOf(err)).Bad
}

// onlyReader hides what else a file can: an archive within is read by nobody.
type onlyReader struct{ io.Reader }

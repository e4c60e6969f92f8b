package httpapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/memdhq/memd"
)

// streamedAtOnce is how much of a stream is sent together.
const streamedAtOnce = 64 << 10

// streamWriter sends a stream's answer with the first bytes of it.
type streamWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	begun   bool
	op      operation
	status  int
	// patience is how long a caller may take to read what is sent together, and granted how
	// long they may take in all beside what they have read: who reads ever so slowly holds a
	// connection to the database as well. What it takes to make the stream is not theirs.
	patience, granted time.Duration
}

func (w *streamWriter) Write(b []byte) (int, error) {
	if !w.begun {
		w.begun = true
		w.Header().Set("Content-Type", w.op.streams)
		w.WriteHeader(w.status)
	}
	began := time.Now()
	_ = w.control.SetWriteDeadline(began.Add(min(w.patience, w.granted)))
	n, err := w.ResponseWriter.Write(b)
	w.granted += time.Duration(n)*time.Second/slowest - time.Since(began)
	return n, err
}

// stream sends an answer as it is made.
func (s *server) stream(w http.ResponseWriter, op operation, a answer) error {
	to := &streamWriter{ResponseWriter: w, control: http.NewResponseController(w), op: op, status: a.status,
		patience: s.cfg.StreamPatience, granted: answerTime}
	buffered := bufio.NewWriterSize(to, streamedAtOnce)
	err := a.stream(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil || !to.begun {
		return err
	}
	s.Logger.Warn().Err(err).Str(memd.LogRequest, w.Header().Get(requestIDHeader)).Str("route", op.path).Msg("a stream was cut off")
	panic(http.ErrAbortHandler)
}

// usersIn adds to users those whom a JSON document names, as a user_id or the user of ids
// that were kept.
func usersIn(raw []byte, users []string) []string {
	if len(memd.TrimJSON(raw)) == 0 {
		return named(users)
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) == nil {
		users = collectUsers(v, false, users)
	}
	return named(users)
}

// named leaves out what names nobody, and nobody twice.
func named(users []string) []string {
	var all []string
	seen := map[string]bool{"": true}
	for _, u := range users {
		u = strings.ReplaceAll(u, "\x00", "")
		if !seen[u] {
			seen[u] = true
			all = append(all, u)
		}
	}
	return all
}

// collectUsers looks at all that stands in a document; within says that it stands under a
// user's id, as the operators of a filter do.
func collectUsers(v any, within bool, users []string) []string {
	switch v := v.(type) {
	case string:
		if within {
			users = append(users, v)
		}
	case []any:
		for _, e := range v {
			users = collectUsers(e, within, users)
		}
	case map[string]any:
		for name, e := range v {
			users = collectUsers(e, within || name == "user_id" || name == "user", users)
		}
	}
	return users
}

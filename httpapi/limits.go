package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/memdhq/memd"
	"golang.org/x/sync/semaphore"
)

const (
	// maxBody is the most bytes a body may have, maxItems the most messages or items
	// of a call.
	maxBody  = 20 << 20
	maxItems = 1000
	// patience is how long a request waits for its turn, and for room for its body.
	patience = 250 * time.Millisecond
	// bulksAtOnce is how many of those that bring much are at work at a time, bulkPatience how long the
	// others wait for their turn, and restOfBulk how many times as long as one took is rested after it while
	// somebody waits for answers.
	bulksAtOnce  = 2
	bulkPatience = 15 * time.Second
	restOfBulk   = 4
	// smallBody is what the beginning of a body may hold that waits for nobody's large one.
	smallBody = 64 << 10
	// slowest is how many bytes of a body or an answer have to pass in a second, after the
	// time that is granted to any.
	slowest = 64 << 10
	// bodyTime is what is granted to a body, answerTime to an answer.
	bodyTime, answerTime = 10 * time.Second, 30 * time.Second
	// lingering is for how long what comes of a body that is refused is taken: a caller who
	// is still sending would not see the answer.
	lingering = 2 * time.Second
	// lingeringBytes is how much of one is taken whose end nobody knows; of one that says how
	// long it is, four times maxBody: that caller comes to an end, and then reads the answer.
	lingeringBytes = 8 << 20
)

// lane is what requests of a kind share: none of another kind takes their turns.
type lane struct {
	name  string
	turns *semaphore.Weighted
	// patience is how long a request waits for its turn, if not as long as others.
	patience time.Duration
}

// tenantLanes are lanes of one tenant each, so that none can take all turns of a kind. There
// are no more of them than keys name tenants.
type tenantLanes struct {
	make func() lane

	mu sync.Mutex
	of map[string]lane
}

func (t *tenantLanes) lane(tenant string) lane {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, found := t.of[tenant]
	if !found {
		l = t.make()
		t.of[tenant] = l
	}
	return l
}

// bounds are those of what is at work at a time.
type bounds struct {
	reading, writing lane
	// waiting are those that wait for something to come, learning those that wait for what
	// they have brought to be learned from.
	waiting, learning lane
	// exporting are those that are answered with all there is of a person; each tenant has a
	// part of it.
	exporting lane
	exports   *tenantLanes
	// bringing are those that bring what nobody waits for, many at a time.
	bringing lane
	// beginnings are bytes of the beginnings of bodies, bodies those of the rest, answers
	// those of large answers that are being sent.
	beginnings, bodies, answers lane
	after                       *aftermath
}

const (
	// leavesMuch is how large a body is of which much memory stays taken: what is made of it
	// on its way to the database is four to five times as large.
	leavesMuch = 2 << 20
	// restOfBodies is how long there have to be none of these before it is given back.
	restOfBodies = 3 * time.Second
)

// aftermath has memory given back to the system after large bodies. Left to itself the
// runtime keeps what it once had for minutes: until it next has reason to look, twice.
type aftermath struct {
	mu    sync.Mutex
	timer *time.Timer // nil before the first
	free  func()
}

// note says that a large body has been done with.
func (a *aftermath) note() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer == nil {
		a.timer = time.AfterFunc(restOfBodies, a.free)
	} else {
		a.timer.Reset(restOfBodies)
	}
}

// lanes are the names of all.
var lanes = []string{"reading", "writing", "waiting", "learning", "exporting", "bringing", "bodies", "answers"}

func newBounds(cfg Config) bounds {
	of := func(name string, n int64) lane { return lane{name: name, turns: semaphore.NewWeighted(n)} }
	turns := int64(cfg.MaxInFlight)
	return bounds{
		reading: of("reading", turns), writing: of("writing", turns), waiting: of("waiting", turns), learning: of("learning", turns),
		exporting:  of("exporting", exportsAtOnce),
		exports:    &tenantLanes{of: map[string]lane{}, make: func() lane { return of("exporting", exportsOfTenant) }},
		bringing:   lane{"bringing", semaphore.NewWeighted(bulksAtOnce), bulkPatience},
		beginnings: of("bodies", max(cfg.MaxBodies/4, 16*smallBody)),
		after:      &aftermath{free: debug.FreeOSMemory},
		bodies:     of("bodies", max(cfg.MaxBodies, maxBody+1)), answers: of("answers", max(cfg.MaxBodies, maxBody+1)),
	}
}

// laneOf gives the lane of a request, whether it writes, and how long it may take.
func (s *server) laneOf(r *http.Request, op operation, body []byte) (l lane, writes bool, takes time.Duration) {
	switch {
	case op.gives:
		return s.bounds.bringing, true, s.cfg.Timeout
	case op.streams != "":
		return s.bounds.exporting, false, s.cfg.Timeout + op.waits
	case op.method == http.MethodGet && op.waits > 0 && r.URL.Query().Has("wait"):
		return s.bounds.waiting, false, s.cfg.Timeout + op.waits
	case op.method != http.MethodGet && op.waits > 0:
		return s.bounds.learning, true, s.cfg.Timeout + op.waits
	case op.effect == reads, op.effect == mayLog && !bytes.Contains(body, []byte(`"append"`)):
		return s.bounds.reading, false, s.cfg.Timeout
	}
	return s.bounds.writing, true, s.cfg.Timeout
}

// acquire takes n of a lane, or gives up after a while.
func (s *server) acquire(ctx context.Context, l lane, n int64, refusal string) error {
	if l.turns.TryAcquire(n) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(l.patience, patience))
	defer cancel()
	if err := l.turns.Acquire(ctx, n); err != nil {
		s.metrics.refused.WithLabelValues(l.name).Inc()
		return &memd.Error{Kind: memd.Unavailable, Msg: refusal, RetryAfter: time.Second}
	}
	return nil
}

// readBody reads a body of at most maxBody bytes. What it takes grows with what has come,
// whatever was announced. release gives its place back.
func (s *server) readBody(w http.ResponseWriter, r *http.Request) (body []byte, release func(), err error) {
	var begun, rest int64
	release = func() {
		s.bounds.beginnings.turns.Release(begun)
		s.bounds.bodies.turns.Release(rest)
		if rest >= leavesMuch {
			s.bounds.after.note()
		}
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	tooLarge := &memd.Error{Kind: memd.TooLarge, Field: "body", Msg: fmt.Sprintf("must have at most %d MiB", maxBody>>20)}
	if r.Body == nil || r.Body == http.NoBody {
		return nil, release, nil
	}
	control := http.NewResponseController(w)
	began, granted := time.Now(), min(bodyTime, s.cfg.Timeout)
	defer func() {
		if err != nil { // what may still come of the body is not waited for
			w.Header().Set("Connection", "close")
			return
		}
		// The deadline must not outlive the body: the connection is read from
		// afterwards too, to learn whether the caller is still there.
		_ = control.SetReadDeadline(time.Time{})
	}()
	drain := func() {
		_ = control.SetReadDeadline(time.Now().Add(min(lingering, s.cfg.Timeout)))
		most := int64(lingeringBytes)
		if r.ContentLength >= 0 {
			most = 4 * maxBody
		}
		_, _ = io.CopyN(io.Discard, r.Body, most)
	}
	if r.ContentLength > maxBody {
		if r.Header.Get("Expect") == "" { // else nothing of it is sent
			drain()
		}
		return nil, release, tooLarge
	}
	most := int64(maxBody + 1) // one more: the read that finds the end
	if r.ContentLength >= 0 {
		most = r.ContentLength + 1
	}
	var buf []byte
	for size, until := min(most, 4<<10), time.Duration(-1); ; {
		if len(buf) == cap(buf) {
			const refusal = "too many large requests are at work"
			if n := min(size, smallBody) - begun; n > 0 {
				if err := s.acquire(r.Context(), s.bounds.beginnings, n, refusal); err != nil {
					drain()
					return nil, release, err
				}
				begun += n
			}
			if n := size - begun - rest; n > 0 {
				if err := s.acquire(r.Context(), s.bounds.bodies, n, refusal); err != nil {
					drain()
					return nil, release, err
				}
				rest += n
			}
			grown := make([]byte, len(buf), size)
			copy(grown, buf)
			buf = grown
			if size *= 2; size >= most/4 && size >= smallBody && r.ContentLength >= 0 {
				size = most // a part came as was announced: copying it once more costs more than the rest
			}
			size = min(size, most)
		}
		if earned := min(granted+time.Duration(len(buf)/slowest)*time.Second, s.cfg.Timeout); earned > until {
			until = earned
			_ = control.SetReadDeadline(began.Add(until))
		}
		n, err := r.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case len(buf) > maxBody:
			drain()
			return nil, release, tooLarge
		case errors.Is(err, io.EOF):
			return buf, release, nil
		case err != nil:
			var network net.Error
			if errors.As(err, &network) && network.Timeout() {
				return nil, release, httpError{newProblem(http.StatusRequestTimeout, "timeout", "the body did not come in time")}
			}
			return nil, release, httpError{newProblem(http.StatusBadRequest, "bad_request", "the body could not be read")}
		}
	}
}

// reply is an answer as it is sent.
type reply struct {
	status      int
	contentType string
	body        []byte
	replayed    bool
	// sent says that nothing of it is still to be sent.
	sent bool
}

// send sends a reply. The caller's turn is over by then: who reads slowly keeps nobody from
// theirs. What was read is not sent where too much is being sent; what was done is told
// in any case.
func (s *server) send(w http.ResponseWriter, r *http.Request, out reply, done bool) error {
	if n := int64(len(out.body)); n > smallBody && !done {
		n = min(n, maxBody)
		if err := s.acquire(r.Context(), s.bounds.answers, n, "too many large answers are being sent"); err != nil {
			return err
		}
		defer s.bounds.answers.turns.Release(n)
	}
	granted := answerTime + time.Duration(len(out.body)/slowest)*time.Second
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(granted))
	if out.replayed {
		w.Header().Set(replayedHeader, strconv.FormatBool(true))
	}
	writeBytes(w, out.status, out.contentType, out.body)
	return nil
}

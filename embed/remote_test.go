package embed

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"pgregory.net/rapid"
)

// asked is one request as the server saw it.
type asked struct {
	Model         string   `json:"model"`
	Input         []string `json:"input"`
	Dimensions    *int     `json:"dimensions"`
	Authorization string   `json:"-"`
}

// server is an embedding server whose vectors depend on the text alone.
type server struct {
	*httptest.Server
	width int
	// before answers in place of the server when it returns true.
	before func(http.ResponseWriter, *http.Request, asked) bool

	mu       sync.Mutex
	requests []asked
}

func serve(t *testing.T, width int, before func(http.ResponseWriter, *http.Request, asked) bool) *server {
	t.Helper()
	s := &server{width: width, before: before}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/v1/embeddings" {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		var a asked
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
			t.Errorf("request: %v", err)
		}
		a.Authorization = r.Header.Get("Authorization")
		s.mu.Lock()
		s.requests = append(s.requests, a)
		s.mu.Unlock()
		if s.before != nil && s.before(w, r, a) {
			return
		}
		s.answer(w, a, false)
	}))
	t.Cleanup(s.Close)
	return s
}

// answer gives the vectors in reverse, with their indexes.
func (s *server) answer(w http.ResponseWriter, a asked, packed bool) {
	data := []any{}
	for i := range slices.Backward(a.Input) {
		var embedding any = rawVector(a.Input[i], s.width)
		if packed {
			var b []byte
			for _, x := range rawVector(a.Input[i], s.width) {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
			}
			embedding = base64.StdEncoding.EncodeToString(b)
		}
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": embedding})
	}
	json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "model": a.Model})
}

func (s *server) seen() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// rawVector depends on text alone; its length is not one.
func rawVector(text string, width int) []float32 {
	h := fnv.New64a()
	io.WriteString(h, text)
	random := rand.New(rand.NewPCG(h.Sum64(), 7))
	v := make([]float32, width)
	for i := range v {
		v[i] = float32(3 * random.NormFloat64())
	}
	return v
}

func wantVector(text string, width int) []float32 {
	v := rawVector(text, width)
	Normalize(v)
	return v
}

// known keeps Probe from calibrating, where a test counts requests.
var known = Calibration{Unrelated: 0.1, Related: 0.5}

func remote(t *testing.T, s *server, config Config) *Remote {
	t.Helper()
	config.URL = s.URL + "/v1"
	if config.Model == "" {
		config.Model = "test-model"
	}
	r, err := NewRemote(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func status(code int, header map[string]string, body string) func(http.ResponseWriter, *http.Request, asked) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ asked) bool {
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
		return true
	}
}

func TestRemoteGivesVectorsInOrder(t *testing.T) {
	for _, packed := range []bool{false, true} {
		var s *server
		s = serve(t, 12, func(w http.ResponseWriter, _ *http.Request, a asked) bool {
			s.answer(w, a, packed)
			return true
		})
		r := remote(t, s, Config{APIKey: "secret", MaxTexts: 7})
		texts := make([]string, 40)
		for i := range texts {
			texts[i] = fmt.Sprintf("text number %d", i)
		}
		vectors, err := r.EmbedPassages(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		if len(vectors) != len(texts) {
			t.Fatalf("%d vectors", len(vectors))
		}
		for i, v := range vectors {
			if !slices.Equal(v, wantVector(texts[i], 12)) {
				t.Errorf("packed %v: vector %d is another text's", packed, i)
			}
		}
		query, err := r.EmbedQuery(t.Context(), texts[3])
		if err != nil || !slices.Equal(query, vectors[3]) {
			t.Errorf("query: %v, %v", query, err)
		}
		m := r.Model()
		if m.Name != "test-model/12" || m.Dimensions != 12 || !m.Calibration.usable() {
			t.Errorf("model %+v", m)
		}
		for _, a := range s.seen() {
			if a.Model != "test-model" || a.Authorization != "Bearer secret" || a.Dimensions != nil || len(a.Input) > 7 {
				t.Errorf("asked %+v", a)
			}
		}
	}
}

func TestRemoteTakesAnAnswerWithoutIndexes(t *testing.T) {
	s := serve(t, 2, func(w http.ResponseWriter, _ *http.Request, a asked) bool {
		fmt.Fprint(w, `{"data":[`)
		for i := range a.Input {
			if i > 0 {
				fmt.Fprint(w, ",")
			}
			fmt.Fprintf(w, `{"embedding":[%d,0]}`, 1-2*i)
		}
		fmt.Fprint(w, `]}`)
		return true
	})
	vectors, err := remote(t, s, Config{Calibration: known}).EmbedPassages(t.Context(), []string{"a", "b"})
	if err != nil || vectors[0][0] != 1 || vectors[1][0] != -1 {
		t.Errorf("%v, %v", vectors, err)
	}
}

func TestRemoteBoundsRequests(t *testing.T) {
	s := serve(t, 3, nil)
	r := remote(t, s, Config{Calibration: known, MaxTexts: 5, MaxBytes: 100, MaxTextBytes: 60})
	rapid.Check(t, func(rt *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`[a-zäλ日]{1,120}`), 1, 20).Draw(rt, "texts")
		before := len(s.seen())
		vectors, err := r.EmbedPassages(t.Context(), texts)
		if err != nil {
			rt.Fatal(err)
		}
		for i, v := range vectors {
			if !slices.Equal(v, wantVector(truncate(texts[i], 60), 3)) {
				rt.Fatalf("vector %d is another text's", i)
			}
		}
		for _, a := range s.seen()[before:] {
			bytes := 0
			for _, text := range a.Input {
				bytes += len(text)
				if len(text) > 60 || !utf8.ValidString(text) {
					rt.Fatalf("text of %d bytes: %q", len(text), text)
				}
			}
			if len(a.Input) > 5 || bytes > 100 {
				rt.Fatalf("%d texts, %d bytes", len(a.Input), bytes)
			}
		}
	})
}

func TestRemoteSendsDimensionsOnlyWhereTheyAreTaken(t *testing.T) {
	refuse := func(w http.ResponseWriter, r *http.Request, a asked) bool {
		if a.Dimensions == nil {
			return false
		}
		return status(400, nil, `{"error":{"message":"dimensions is not supported"}}`)(w, r, a)
	}
	for name, test := range map[string]struct {
		before      func(http.ResponseWriter, *http.Request, asked) bool
		width, want int
		sent        []int
		err         error
	}{
		"taken":             {nil, 8, 8, []int{8, 8, 8}, nil},
		"not configured":    {nil, 8, 0, []int{0, 0, 0}, nil},
		"refused, fits":     {refuse, 8, 8, []int{8, 0, 0, 0}, nil},
		"refused, does not": {refuse, 12, 8, []int{8, 0, 0}, ErrWidth},
		"ignored":           {nil, 12, 8, []int{8, 8}, ErrWidth},
	} {
		s := serve(t, test.width, test.before)
		r := remote(t, s, Config{Dimensions: test.want, Calibration: known})
		for range 2 {
			_, err := r.EmbedQuery(t.Context(), "hello")
			if !errors.Is(err, test.err) {
				t.Errorf("%s: %v", name, err)
			}
			if test.err != nil && (memd.KindOf(err) != memd.Invalid || !strings.Contains(err.Error(), "12") || !strings.Contains(err.Error(), "8")) {
				t.Errorf("%s: %v must be Invalid and name both widths", name, err)
			}
		}
		var sent []int
		for _, a := range s.seen() {
			if a.Dimensions == nil {
				sent = append(sent, 0)
			} else {
				sent = append(sent, *a.Dimensions)
			}
		}
		if !slices.Equal(sent, test.sent) {
			t.Errorf("%s: sent dimensions %v, want %v", name, sent, test.sent)
		}
	}
}

func TestRemoteStatuses(t *testing.T) {
	date := time.Now().Add(20 * time.Second).UTC().Format(http.TimeFormat)
	for name, test := range map[string]struct {
		status  int
		header  map[string]string
		body    string
		kind    memd.Kind
		waitMin time.Duration
		waitMax time.Duration
	}{
		"429 seconds":      {429, map[string]string{"Retry-After": "7"}, `{"error":{"code":"rate_limit_exceeded"}}`, memd.RateLimited, 7 * time.Second, 7 * time.Second},
		"429 date":         {429, map[string]string{"Retry-After": date}, "", memd.RateLimited, time.Second, 20 * time.Second},
		"429 ms":           {429, map[string]string{"Retry-After-Ms": "1500", "Retry-After": "2"}, "", memd.RateLimited, 1500 * time.Millisecond, 1500 * time.Millisecond},
		"429 silent":       {429, nil, "", memd.RateLimited, 0, 0},
		"429 nonsense":     {429, map[string]string{"Retry-After": "soon"}, "", memd.RateLimited, 0, 0},
		"429 negative":     {429, map[string]string{"Retry-After": "-5"}, "", memd.RateLimited, 0, 0},
		"429 NaN":          {429, map[string]string{"Retry-After": "NaN"}, "", memd.RateLimited, 0, 0},
		"429 ages":         {429, map[string]string{"Retry-After": "1e30"}, "", memd.RateLimited, time.Hour, time.Hour},
		"500":              {500, nil, "oops", memd.Unavailable, 0, 0},
		"500 too large":    {500, nil, `{"error":{"message":"input is too large to process"}}`, memd.Invalid, 0, 0},
		"502 page":         {502, nil, "<html>bad gateway</html>", memd.Unavailable, 0, 0},
		"503":              {503, map[string]string{"Retry-After": "3"}, "", memd.Unavailable, 3 * time.Second, 3 * time.Second},
		"400":              {400, nil, `{"error":{"message":"the secret text is bad","code":"bad_input"}}`, memd.Invalid, 0, 0},
		"413":              {413, nil, "", memd.Invalid, 0, 0},
		"422":              {422, nil, "", memd.Invalid, 0, 0},
		"401":              {401, nil, `{"error":{"code":"invalid_api_key"}}`, memd.Unavailable, 0, 0},
		"403":              {403, nil, "", memd.Unavailable, 0, 0},
		"404":              {404, nil, "", memd.Unavailable, 0, 0},
		"408":              {408, nil, "", memd.Unavailable, 0, 0},
		"redirect":         {302, map[string]string{"Location": "/elsewhere"}, "", memd.Unavailable, 0, 0},
		"no content":       {204, nil, "", memd.Unavailable, 0, 0},
		"garbage":          {200, nil, "<html>", memd.Unavailable, 0, 0},
		"empty":            {200, nil, "", memd.Unavailable, 0, 0},
		"cut short":        {200, nil, `{"data":[{"index":0,"embedding":[1,2`, memd.Unavailable, 0, 0},
		"something else":   {200, nil, `{"error":{"message":"no such model"}}`, memd.Unavailable, 0, 0},
		"none":             {200, nil, `{"data":[]}`, memd.Unavailable, 0, 0},
		"too many":         {200, nil, `{"data":[{"embedding":[1,2,3]},{"embedding":[1,2,3]}]}`, memd.Unavailable, 0, 0},
		"empty vector":     {200, nil, `{"data":[{"embedding":[]}]}`, memd.Unavailable, 0, 0},
		"null vector":      {200, nil, `{"data":[{"embedding":null}]}`, memd.Unavailable, 0, 0},
		"index elsewhere":  {200, nil, `{"data":[{"index":4,"embedding":[1,2,3]}]}`, memd.Unavailable, 0, 0},
		"negative index":   {200, nil, `{"data":[{"index":-1,"embedding":[1,2,3]}]}`, memd.Unavailable, 0, 0},
		"strings":          {200, nil, `{"data":[{"embedding":["1","2","3"]}]}`, memd.Unavailable, 0, 0},
		"bad base64":       {200, nil, `{"data":[{"embedding":"%%%"}]}`, memd.Unavailable, 0, 0},
		"half a float":     {200, nil, `{"data":[{"embedding":"AAAA"}]}`, memd.Unavailable, 0, 0},
		"beyond float32":   {200, nil, `{"data":[{"embedding":[1e39,1,1]}]}`, memd.Unavailable, 0, 0},
		"wrong width":      {200, nil, `{"data":[{"embedding":[1,2]}]}`, memd.Invalid, 0, 0},
		"zero":             {200, nil, `{"data":[{"embedding":[0,0,0]}]}`, memd.Invalid, 0, 0},
		"null for NaN":     {200, nil, `{"data":[{"embedding":[1,null,3]}]}`, memd.Invalid, 0, 0},
		"NaN in base64":    {200, nil, `{"data":[{"embedding":"AADAfwAAwH8AAMB/"}]}`, memd.Invalid, 0, 0},
		"two values in it": {200, nil, `{"data":[{"embedding":[1,2,3]}]}{}`, memd.Unavailable, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			failing := false
			s := serve(t, 3, nil)
			s.before = func(w http.ResponseWriter, r *http.Request, a asked) bool {
				return failing && status(test.status, test.header, test.body)(w, r, a)
			}
			r := remote(t, s, Config{Calibration: known, APIKey: "sk-secret"})
			if err := r.Probe(t.Context()); err != nil {
				t.Fatal(err)
			}
			failing = true
			_, errQuery := r.EmbedQuery(t.Context(), "the secret text")
			_, errPassages := r.EmbedPassages(t.Context(), []string{"the secret text"})
			for _, err := range []error{errQuery, errPassages} {
				var e *memd.Error
				if !errors.As(err, &e) || e.Kind != test.kind {
					t.Fatalf("%v, want %v", err, test.kind)
				}
				if e.RetryAfter < test.waitMin || e.RetryAfter > test.waitMax {
					t.Errorf("RetryAfter %v", e.RetryAfter)
				}
				if strings.Contains(err.Error(), "secret") {
					t.Errorf("the error quotes: %v", err)
				}
			}
			if test.kind == memd.Invalid && name != "wrong width" {
				var q, p *memd.Error
				errors.As(errQuery, &q)
				errors.As(errPassages, &p)
				if q.Field != "text" || p.Field != "texts[0]" {
					t.Errorf("fields %q, %q", q.Field, p.Field)
				}
			}
			failing = false
			if _, err := r.EmbedQuery(t.Context(), "again"); err != nil {
				t.Errorf("after it has passed: %v", err)
			}
		})
	}
}

func TestRemoteRefusesBlankTextsWithoutAsking(t *testing.T) {
	s := serve(t, 3, nil)
	r := remote(t, s, Config{})
	_, err := r.EmbedPassages(t.Context(), []string{"fine", " \n"})
	var e *memd.Error
	if !errors.As(err, &e) || e.Kind != memd.Invalid || e.Field != "texts[1]" {
		t.Errorf("%v", err)
	}
	if _, err := r.EmbedQuery(t.Context(), ""); memd.KindOf(err) != memd.Invalid {
		t.Errorf("%v", err)
	}
	if vectors, err := r.EmbedPassages(t.Context(), nil); err != nil || len(vectors) != 0 {
		t.Errorf("%v, %v", vectors, err)
	}
	if n := len(s.seen()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestRemoteFindsTheTextThatIsRefused(t *testing.T) {
	s := serve(t, 3, func(w http.ResponseWriter, r *http.Request, a asked) bool {
		return slices.Contains(a.Input, "bad") && status(400, nil, "")(w, r, a)
	})
	r := remote(t, s, Config{Calibration: known})
	texts := []string{"a", "b", "c", "d", "e", "bad", "f"}
	_, err := r.EmbedPassages(t.Context(), texts)
	var e *memd.Error
	if !errors.As(err, &e) || e.Kind != memd.Invalid || e.Field != "texts[5]" {
		t.Errorf("%v", err)
	}
}

func TestRemoteShrinksBatchesThatAreTooMuch(t *testing.T) {
	for name, refuse := range map[string]func(http.ResponseWriter, *http.Request, asked) bool{
		"refused": status(422, nil, `{"error":"batch size 5 > maximum allowed batch size 2"}`),
		"one for all": func(w http.ResponseWriter, _ *http.Request, _ asked) bool {
			fmt.Fprint(w, `{"data":[{"index":0,"embedding":[1,2,3]}]}`)
			return true
		},
		"all at index 0": func(w http.ResponseWriter, _ *http.Request, a asked) bool {
			item := `{"index":0,"embedding":[1,2,3]}`
			fmt.Fprintf(w, `{"data":[%s%s]}`, item, strings.Repeat(","+item, len(a.Input)-1))
			return true
		},
	} {
		s := serve(t, 3, func(w http.ResponseWriter, r *http.Request, a asked) bool {
			return len(a.Input) > 2 && refuse(w, r, a)
		})
		r := remote(t, s, Config{Calibration: known})
		texts := []string{"a", "b", "c", "d", "e", "f", "g"}
		vectors, err := r.EmbedPassages(t.Context(), texts)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, v := range vectors {
			if !slices.Equal(v, wantVector(texts[i], 3)) {
				t.Errorf("%s: vector %d is another text's", name, i)
			}
		}
	}
}

func TestRemoteShortensATextThatIsTooLong(t *testing.T) {
	s := serve(t, 3, func(w http.ResponseWriter, r *http.Request, a asked) bool {
		for _, text := range a.Input {
			if len(text) > 3000 {
				return status(413, nil, "")(w, r, a)
			}
		}
		return false
	})
	r := remote(t, s, Config{Calibration: known})
	long := strings.Repeat("ü", 10_000)
	vectors, err := r.EmbedPassages(t.Context(), []string{"short", long, "short too"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(vectors[1], wantVector(long[:2500], 3)) || !slices.Equal(vectors[2], wantVector("short too", 3)) {
		t.Error("the vectors are not those of the shortened texts")
	}
}

func TestRemoteProbesWhenTheServerIsBack(t *testing.T) {
	away := true
	s := serve(t, 6, nil)
	s.before = func(w http.ResponseWriter, r *http.Request, a asked) bool {
		return away && status(503, nil, "")(w, r, a)
	}
	r := remote(t, s, Config{})
	if err := r.Probe(t.Context()); memd.KindOf(err) != memd.Unavailable {
		t.Fatalf("%v", err)
	}
	if m := r.Model(); m != (Model{}) {
		t.Errorf("model %+v of a server never seen", m)
	}
	if _, err := r.EmbedPassages(t.Context(), []string{"hello"}); memd.KindOf(err) != memd.Unavailable {
		t.Errorf("%v", err)
	}
	away = false
	if _, err := r.EmbedPassages(t.Context(), []string{"hello"}); err != nil {
		t.Fatal(err)
	}
	if m := r.Model(); m.Name != "test-model/6" || m.Dimensions != 6 {
		t.Errorf("model %+v", m)
	}
}

func TestRemoteKnowsTheConfiguredWidthBeforeItProbes(t *testing.T) {
	s := serve(t, 6, nil)
	r := remote(t, s, Config{Dimensions: 6})
	if m := r.Model(); m.Name != "test-model/6" || m.Dimensions != 6 {
		t.Errorf("model %+v", m)
	}
	if n := len(s.seen()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// A server that refuses the probe's own texts has said nothing of the caller's.
func TestRemoteDoesNotBlameTextsForAFailedProbe(t *testing.T) {
	for name, before := range map[string]func(http.ResponseWriter, *http.Request, asked) bool{
		"unknown model": status(400, nil, `{"error":{"code":"model_not_found"}}`),
		"zeros":         status(200, nil, `{"data":[{"embedding":[0,0]}]}`),
	} {
		r := remote(t, serve(t, 3, before), Config{})
		if _, err := r.EmbedPassages(t.Context(), []string{"hello"}); memd.KindOf(err) != memd.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRemoteProbesOnceForAll(t *testing.T) {
	s := serve(t, 3, nil)
	r := remote(t, s, Config{Calibration: known})
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			if _, err := r.EmbedQuery(t.Context(), fmt.Sprint("query ", i)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := len(s.seen()); n != 17 {
		t.Errorf("%d requests, want one probe and 16 queries", n)
	}
}

func TestRemoteEndsWithItsContext(t *testing.T) {
	release := make(chan struct{})
	started := make(chan struct{}, 8)
	for name, before := range map[string]func(http.ResponseWriter, *http.Request, asked) bool{
		"silent": func(_ http.ResponseWriter, r *http.Request, _ asked) bool {
			started <- struct{}{}
			select {
			case <-r.Context().Done():
			case <-release:
			}
			return true
		},
		// The answer's bytes come one by one and would take minutes.
		"one byte a second": func(w http.ResponseWriter, r *http.Request, _ asked) bool {
			started <- struct{}{}
			for range 600 {
				io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				select {
				case <-r.Context().Done():
					return true
				case <-release:
					return true
				case <-time.After(time.Second):
				}
			}
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, 3, before)
			r := remote(t, s, Config{Timeout: 50 * time.Millisecond})
			_, err := r.EmbedQuery(t.Context(), "hello")
			if memd.KindOf(err) != memd.Unavailable || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("own timeout: %v", err)
			}
			<-started

			r = remote(t, s, Config{})
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, err = r.EmbedQuery(ctx, "hello")
			if memd.KindOf(err) != memd.Unavailable || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("caller's deadline: %v", err)
			}
			<-started

			ctx, cancel = context.WithCancel(t.Context())
			go func() {
				<-started
				cancel()
			}()
			_, err = r.EmbedQuery(ctx, "hello")
			if memd.KindOf(err) != memd.Unavailable || !errors.Is(err, context.Canceled) {
				t.Errorf("caller gone: %v", err)
			}
		})
	}
	close(release)
}

func TestRemoteWaitsForAnothersProbeOnlyAsLongAsItsContext(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s := serve(t, 3, func(http.ResponseWriter, *http.Request, asked) bool {
		once.Do(func() { close(started) })
		<-release
		return false
	})
	r := remote(t, s, Config{Calibration: known})
	done := make(chan error)
	go func() { done <- r.Probe(t.Context()) }()
	<-started
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Probe(ctx); memd.KindOf(err) != memd.Unavailable || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRemoteReadsNoMoreThanItMust(t *testing.T) {
	s := serve(t, 3, func(w http.ResponseWriter, _ *http.Request, _ asked) bool {
		blanks := strings.Repeat(" ", 1<<20)
		for range 2 * maxAnswerBytes >> 20 {
			if _, err := io.WriteString(w, blanks); err != nil {
				return true
			}
		}
		return false
	})
	r := remote(t, s, Config{Calibration: known})
	if _, err := r.EmbedQuery(t.Context(), "hello"); memd.KindOf(err) != memd.Unavailable {
		t.Errorf("%v", err)
	}
}

func TestRemoteReusesConnections(t *testing.T) {
	var mu sync.Mutex
	peers := map[string]bool{}
	s := serve(t, 3, func(_ http.ResponseWriter, r *http.Request, a asked) bool {
		mu.Lock()
		defer mu.Unlock()
		peers[r.RemoteAddr] = true
		return false
	})
	r := remote(t, s, Config{Calibration: known})
	for i := range 10 {
		if _, err := r.EmbedQuery(t.Context(), fmt.Sprint("query ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(peers) != 1 {
		t.Errorf("%d connections", len(peers))
	}
}

func TestRemoteAway(t *testing.T) {
	s := serve(t, 3, nil)
	r := remote(t, s, Config{})
	s.Close()
	_, err := r.EmbedQuery(t.Context(), "hello")
	if memd.KindOf(err) != memd.Unavailable {
		t.Errorf("%v", err)
	}
}

func TestNewRemoteRefuses(t *testing.T) {
	good := Config{URL: "http://127.0.0.1:1/v1", Model: "m"}
	for field, change := range map[string]func(*Config){
		"URL":          func(c *Config) { c.URL = "127.0.0.1:1/v1" },
		"Model":        func(c *Config) { c.Model = "" },
		"Dimensions":   func(c *Config) { c.Dimensions = -1 },
		"MaxTexts":     func(c *Config) { c.MaxTexts = -1 },
		"MaxBytes":     func(c *Config) { c.MaxBytes = -1 },
		"MaxTextBytes": func(c *Config) { c.MaxTextBytes = -1 },
		"Timeout":      func(c *Config) { c.Timeout = -1 },
	} {
		config := good
		change(&config)
		_, err := NewRemote(config)
		var e *memd.Error
		if !errors.As(err, &e) || e.Kind != memd.Invalid || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, address := range []string{"", "ftp://h/v1", "http:///v1", "http://h/v1?key=1", "http://h/v1#x", "://"} {
		config := good
		config.URL = address
		if _, err := NewRemote(config); memd.KindOf(err) != memd.Invalid || err == nil {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, address := range []string{"http://h/v1", "http://h/v1/"} {
		config := good
		config.URL = address
		r, err := NewRemote(config)
		if err != nil || r.endpoint != "http://h/v1/embeddings" {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestRemoteCalibratesOnFirstUse(t *testing.T) {
	index := map[string]int{}
	for i, pair := range calibrationPairs {
		index[pair.question], index[pair.answer] = i, i
	}
	// A model that knows the pairs: cosine 0.5 for any two, 0.75 for a pair.
	n := len(calibrationPairs)
	s := serve(t, 0, func(w http.ResponseWriter, _ *http.Request, a asked) bool {
		var data []any
		for _, text := range a.Input {
			v := make([]float64, n+2*n+1)
			v[0] = math.Sqrt(0.5)
			own, ok := index[text]
			if ok {
				v[1+own] = 0.5
				if strings.HasSuffix(text, "?") {
					v[1+n+own] = 0.5
				} else {
					v[1+2*n+own] = 0.5
				}
			}
			data = append(data, map[string]any{"embedding": v})
		}
		json.NewEncoder(w).Encode(map[string]any{"data": data})
		return true
	})
	r := remote(t, s, Config{})
	if err := r.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := r.Model().Calibration
	if math.Abs(c.Unrelated-0.5) > 1e-6 || math.Abs(c.Related-0.75) > 1e-6 {
		t.Errorf("%+v", c)
	}
	measured, err := Calibrate(t.Context(), r)
	if err != nil || measured != c {
		t.Errorf("Calibrate = %+v, %v; Probe found %+v", measured, err, c)
	}
}

func FuzzParseAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"data":[{"index":1,"embedding":[1,2]},{"index":0,"embedding":"AACAPwAAgD8="}]}`,
		`{"data":[{"embedding":[1,null]},{"embedding":null}]}`,
		`{"data":[{"index":0,"embedding":[1e39]},{"index":0,"embedding":"="}]}`,
		`{"data":{}}`, `[`, `null`, "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		vectors, err := parseAnswer("fuzz", raw, 2)
		if err != nil {
			if memd.KindOf(err) != memd.Unavailable {
				t.Errorf("%v", err)
			}
			return
		}
		if len(vectors) != 2 || len(vectors[0]) == 0 || len(vectors[1]) == 0 {
			t.Errorf("%v", vectors)
		}
		for _, v := range vectors {
			if Normalize(v) && math.Abs(dot(v, v)-1) > 1e-4 {
				t.Errorf("length² %v", dot(v, v))
			}
		}
	})
}

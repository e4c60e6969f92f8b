package httpapi

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/uuid"
)

// plainRefusal is how net/http goes on after the first line where it answers by itself: what
// came is no request that a handler could be given. No handler's answer begins like that,
// since each has a date.
var plainRefusal = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

// refusals are what is said of these by status; anything else is a bad request.
var refusals = map[int]struct{ code, detail string }{
	http.StatusRequestHeaderFieldsTooLarge: {"header_too_large", "the header of the request is too large: it may have 64 KiB"},
	http.StatusNotImplemented:              {"not_implemented", "this transfer encoding is not supported"},
	http.StatusHTTPVersionNotSupported:     {"version_not_supported", "this version of HTTP is not supported"},
}

// Refusal gives the problem document that stands for what net/http itself is about to answer,
// whole with its header; ok is false for anything else that is written to a connection.
func Refusal(written []byte) (answer []byte, ok bool) {
	line, found := bytes.CutPrefix(written, []byte("HTTP/1.1 "))
	if !found {
		return nil, false
	}
	end := bytes.Index(line, plainRefusal[:2])
	if end < 3 || !bytes.HasPrefix(line[end:], plainRefusal) {
		return nil, false
	}
	status, err := strconv.Atoi(string(line[:3]))
	if err != nil || status < 400 {
		return nil, false
	}
	p := newProblem(status, "bad_request", "what came is no request of HTTP")
	if r, known := refusals[status]; known {
		p.Code, p.Detail = r.code, r.detail
	}
	p.RequestID = uuid.NewString()
	body := encode(p)
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/problem+json\r\n%s: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		status, http.StatusText(status), requestIDHeader, p.RequestID, len(body), body), true
}

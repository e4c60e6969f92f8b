package httpapi

import (
	"strings"
	"testing"
)

// What net/http answers by itself is put in other words; what a handler answers never is.
func TestWhatIsARefusalOfNetHTTP(t *testing.T) {
	plain := string(plainRefusal)
	for written, want := range map[string]string{
		"HTTP/1.1 431 Request Header Fields Too Large" + plain + "431 Request Header Fields Too Large":                                            `"status":431,"detail":"the header of the request is too large`,
		"HTTP/1.1 400 Bad Request" + plain + "400 Bad Request":                                                                                    `"code":"bad_request"`,
		"HTTP/1.1 400 Bad Request: missing required Host header" + plain + "400 Bad Request":                                                      `"code":"bad_request"`,
		"HTTP/1.1 501 Not Implemented" + plain + "Unsupported transfer encoding":                                                                  `"code":"not_implemented"`,
		"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\nDate: Tue, 01 Dec 2026 00:00:00 GMT\r\nConnection: close\r\n\r\nno": "",
		"HTTP/1.1 200 OK" + plain:               "",
		"HTTP/1.1 x" + plain:                    "",
		"HTTP/1.1 ":                             "",
		"":                                      "",
		"HTTP/1.1 400" + plain[:10]:             "",
		"a" + "HTTP/1.1 400 Bad" + plain:        "",
		`{"a":"HTTP/1.1 400 Bad` + plain + `"}`: "",
	} {
		answer, ok := Refusal([]byte(written))
		if ok != (want != "") || !strings.Contains(string(answer), want) || ok && !strings.HasPrefix(string(answer), written[:len("HTTP/1.1 400")]) {
			t.Errorf("%q is told as %q", written, answer)
		}
	}
}

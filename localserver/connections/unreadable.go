package connections

import (
	"bytes"
	"strconv"
	"strings"
)

// Unreadable is a request that no handler sees: net/http has refused it.
type Unreadable struct {
	// Status is the status that net/http has chosen.
	Status int
	// Reason is net/http's, where it has one, such as "missing required Host header".
	Reason string
	// Begin is what the request begins with, as far as it was read.
	Begin []byte
}

// Method is the method that the request begins with; "" where none can be seen.
func (u Unreadable) Method() string {
	method, _, _ := u.requestLine()
	return method
}

// Path is the path, or its beginning, that the request asks for; "" where none can be
// seen.
func (u Unreadable) Path() string {
	_, target, _ := u.requestLine()
	path, _, _ := strings.Cut(target, "?")
	return path
}

func (u Unreadable) requestLine() (method, target string, ok bool) {
	line, _, _ := strings.Cut(string(u.Begin), "\r\n")
	method, rest, ok := strings.Cut(line, " ")
	target, _, _ = strings.Cut(rest, " ")
	return method, target, ok
}

const statusLine = "HTTP/1.1 "

// parseRefusal reads an answer that net/http writes by itself: all of it at once, and of
// its first line the status and a reason behind a colon.
func parseRefusal(p []byte) (u Unreadable, ok bool) {
	line, _, ok := bytes.Cut(p, []byte("\r\n"))
	rest, isAnswer := strings.CutPrefix(string(line), statusLine)
	if !ok || !isAnswer {
		return u, false
	}
	code, text, _ := strings.Cut(rest, " ")
	status, err := strconv.Atoi(code)
	_, u.Reason, _ = strings.Cut(text, ": ")
	u.Status = status
	return u, err == nil && status >= 400
}

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
	// Reason is net/http's reason, such as "missing required Host header", or "".
	Reason string
	// Method, Path and Target (the path with its query) are those of the first line as far as it
	// was read; Target is "" if that is not a valid HTTP line.
	Method, Path, Target string
}

// readBegin parses the beginning of the request.
func (u *Unreadable) readBegin(begin []byte) {
	line, _, isWhole := strings.Cut(string(begin), "\r\n")
	method, rest, _ := strings.Cut(line, " ")
	target, version, _ := strings.Cut(rest, " ")
	u.Method = method
	u.Path, _, _ = strings.Cut(target, "?")
	if isWhole && strings.HasPrefix(version, "HTTP/") {
		u.Target = target
	}
}

const statusLine = "HTTP/1.1 "

// parseRefusal parses an answer that net/http writes itself in a single write: the status of its
// first line and a reason after a colon.
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

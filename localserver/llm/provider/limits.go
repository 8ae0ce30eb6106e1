package provider

import (
	"cmp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
)

// LongestWait is the default of Limits.Wait.
const LongestWait = 20 * time.Second

// Limits are limits for calls to a provider. A zero field means its default.
type Limits struct {
	// Answer is the maximum length of an answer's text in bytes. The default is 1 MiB.
	Answer int
	// Body is the maximum length of a response body in bytes. The default is 16 MiB, because every
	// piece of a stream comes with a few hundred bytes of JSON.
	Body int
	// Whole is the time limit of one Ask, unless its context has a shorter one. The default is 5
	// minutes.
	Whole time.Duration
	// Wait is the longest wait before the second attempt. The default is LongestWait. If a provider
	// requests a longer wait, there is no second attempt.
	Wait time.Duration
	// Probe is the time limit for a local provider to list its models. The default is 1 second.
	// Other providers get five times as long.
	Probe time.Duration
	// Drain is the maximum wait for the end of the response body after the last event of a stream.
	// The body must end before the connection can be reused. The default is 50 milliseconds.
	Drain time.Duration
}

func (l Limits) withDefaults() Limits {
	l.Answer = cmp.Or(l.Answer, 1<<20)
	l.Body = cmp.Or(l.Body, 16<<20)
	l.Whole = cmp.Or(l.Whole, 5*time.Minute)
	l.Wait = cmp.Or(l.Wait, LongestWait)
	l.Probe = cmp.Or(l.Probe, time.Second)
	l.Drain = cmp.Or(l.Drain, 50*time.Millisecond)
	return l
}

const (
	// charactersPerToken is higher than the average in any language, so that the limit of tokens is
	// reached first.
	charactersPerToken = 6
	// lengthGrace is the number of characters after the limit within which a sentence may end.
	lengthGrace = 400
)

// lengthLimit ends an answer at the requested length if the server does not. The zero lengthLimit
// is unlimited.
type lengthLimit struct {
	most int
	// count is the number of emitted characters. came is the number of received characters, with
	// thoughts.
	count, came int
	reached     bool
}

// countCome counts a received piece. It also ends an answer that goes on far beyond the limit
// without an end of a sentence or word.
func (l *lengthLimit) countCome(piece string) {
	l.came += utf8.RuneCountInString(piece)
	l.reached = l.reached || l.most > 0 && l.came > l.most+2*lengthGrace+thinkingRoom*charactersPerToken
}

func (l *lengthLimit) cutPiece(piece string) string {
	if l.reached {
		return ""
	}
	before := l.count
	l.count += utf8.RuneCountInString(piece)
	if l.most == 0 || l.count <= l.most {
		return piece
	}
	at := before
	for i, r := range piece {
		at++
		end := i + utf8.RuneLen(r)
		switch {
		case at < l.most:
		case isSentenceEnd(r, piece[end:]):
			l.reached = true
			rest := strings.TrimLeft(piece[end:], "\"'*_)]”’»」』") // without closing quotes and brackets
			return piece[:len(piece)-len(rest)]
		case at >= l.most+lengthGrace && !unicode.IsLetter(r):
			l.reached = true
			return strings.TrimRightFunc(piece[:i], unicode.IsSpace) + plaintext.Ellipsis
		case at >= l.most+2*lengthGrace: // No word is this long.
			l.reached = true
			return piece[:i] + plaintext.Ellipsis
		}
	}
	return piece
}

func isSentenceEnd(r rune, rest string) bool {
	if strings.ContainsRune("。！？…\n", r) {
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return strings.ContainsRune(".!?", r) && (rest == "" || !unicode.IsLetter(next) && !unicode.IsDigit(next) && !strings.ContainsRune(".!?", next))
}

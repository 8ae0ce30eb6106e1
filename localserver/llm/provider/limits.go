package provider

import (
	"cmp"
	"time"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
)

// LongestWait is the default of Limits.Wait.
const LongestWait = 20 * time.Second

// Limits are limits for calls to a provider. A zero field means its default.
type Limits struct {
	// Answer is the maximum length of an answer's text in bytes. The default is 1 MiB.
	Answer int
	// Body is the maximum length of a response body in bytes. The default is 16 MiB, because each
	// piece of a stream has a few hundred bytes of JSON around it.
	Body int
	// Whole is the time limit of one call of Ask. A shorter limit of the context applies too. The
	// default is 5 minutes.
	Whole time.Duration
	// Wait is the longest wait before the second attempt. The default is LongestWait. If a provider
	// requests a longer wait, there is no second attempt.
	Wait time.Duration
	// Probe is the time limit for a local provider to list its models. The default is 1 second.
	// Other providers get five times as long.
	Probe time.Duration
	// Drain is the maximum wait for the end of the response body after the last event of a stream.
	// A connection can be reused only after the end of the body. The default is 50 milliseconds.
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
	// charactersPerToken is more than the average in any language, so that the server's token limit
	// is reached first.
	charactersPerToken = 6
	// lengthGrace is the number of characters after the limit that are still emitted.
	lengthGrace = 400
)

// lengthLimit ends an answer at the requested length if the server does not do so. The zero
// lengthLimit is unlimited.
type lengthLimit struct {
	most int
	// count is the number of emitted characters. came is the number of received characters,
	// including thoughts.
	count, came int
	reached     bool
}

// countCome counts a received piece. If the thoughts go on far beyond the limit, it ends the
// answer.
func (l *lengthLimit) countCome(piece string) {
	l.came += utf8.RuneCountInString(piece)
	l.reached = l.reached || l.most > 0 && l.came > l.most+lengthGrace+thinkingRoom*charactersPerToken
}

func (l *lengthLimit) cutPiece(piece string) string {
	if l.reached {
		return ""
	}
	before := l.count
	l.count += utf8.RuneCountInString(piece)
	if l.most == 0 || l.count <= l.most+lengthGrace {
		return piece
	}
	l.reached = true
	return string([]rune(piece)[:l.most+lengthGrace-before]) + plaintext.Ellipsis
}

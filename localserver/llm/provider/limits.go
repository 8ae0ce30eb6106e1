package provider

import (
	"cmp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
)

// LongestWait is the longest wait that a provider can ask for before the second
// attempt, where Limits say nothing else.
const LongestWait = 20 * time.Second

// Limits bound what a provider may cost; a zero field is its default.
type Limits struct {
	// Answer is the longest text that counts as an answer, in bytes; 1 MiB.
	Answer int
	// Body is the most that is read of one response, in bytes; 16 MiB. Every piece
	// of a stream is wrapped in some hundred bytes.
	Body int
	// Whole is the time limit for one Ask unless its context has a shorter one; 5 minutes.
	Whole time.Duration
	// Wait is the longest wait that a provider can ask for before the second
	// attempt; LongestWait.
	Wait time.Duration
	// Probe is the time limit for one provider to list its models; 1 second for local ones, five
	// times that for others.
	Probe time.Duration
	// Drain is the time to wait for the end of a stream's connection after the stream's own end, so
	// that the connection can be reused; 50 milliseconds.
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
	// charactersPerToken is more than the texts of any language have, so that a
	// server which keeps to the limit in tokens never meets the one in
	// characters.
	charactersPerToken = 6
	// lengthGrace is how many characters further the end of a sentence is looked for.
	lengthGrace = 400
)

// lengthLimit ends an answer at the wanted length if the server does not. The zero lengthLimit does
// not limit.
type lengthLimit struct {
	// most is the wanted length in characters; 0 means unlimited.
	most int
	// count is how many characters were given out, came how many have come, with
	// thoughts.
	count, came int
	// reached is set when the answer was ended.
	reached bool
}

// newLengthLimit returns the limit of a request's answer. JSON is not limited, because half of it
// is useless.
func newLengthLimit(r Request) lengthLimit {
	if r.Schema != nil {
		return lengthLimit{}
	}
	return lengthLimit{most: r.MaxTokens * charactersPerToken}
}

// countCome counts a received piece. An answer without an end or a word also ends, after enough
// characters for the answer and for thoughts.
func (l *lengthLimit) countCome(piece string) {
	l.came += utf8.RuneCountInString(piece)
	l.reached = l.reached || l.most > 0 && l.came > l.most+2*lengthGrace+thinkingRoom*charactersPerToken
}

// cutPiece cuts a piece at the first end of a sentence beyond the wanted length.
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
			return piece[:end+closingMarks(piece[end:])]
		case at >= l.most+lengthGrace && !unicode.IsLetter(r):
			l.reached = true
			return strings.TrimRightFunc(piece[:i], unicode.IsSpace) + plaintext.Ellipsis
		case at >= l.most+2*lengthGrace: // This is too long for a word.
			l.reached = true
			return piece[:i] + plaintext.Ellipsis
		}
	}
	return piece
}

// isSentenceEnd reports whether a character ends a sentence before what follows.
func isSentenceEnd(r rune, rest string) bool {
	if strings.ContainsRune("。！？…\n", r) {
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return strings.ContainsRune(".!?", r) && (rest == "" || !unicode.IsLetter(next) && !unicode.IsDigit(next) && !strings.ContainsRune(".!?", next))
}

// closingMarks is how many bytes at the beginning of a text close what a sentence
// was in.
func closingMarks(text string) int {
	return len(text) - len(strings.TrimLeft(text, "\"'*_)]”’»」』"))
}

package provider

import (
	"cmp"
	"time"
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

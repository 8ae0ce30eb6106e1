// Package cassette keeps what model providers answered in a file, and answers from
// such a file: the same question gets the same answer, without a network, a key or
// a cost. It stands where a provider stands, so nothing of HTTP is in a cassette.
// It opens no connection, and never keeps a key or an answer that failed.
package cassette

import (
	"time"

	"github.com/parley-npc/parley/localserver/llm"
)

// Options describe what is noted in a cassette and what is kept out of it.
type Options struct {
	// MadeBy names the program in the first line, such as "parley 1.0.0".
	MadeBy string
	// Secrets are keys that must not reach the file, whatever they look like.
	// Those under 8 bytes are no secrets and would black out words. What looks
	// like a key never reaches it anyway.
	Secrets []llm.Secret
	// Now dates the answers; nil is time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// dayText returns today's date as it is in a cassette: answers of one day
// look alike in a diff.
func (o Options) dayText() string { return o.Now().UTC().Format(time.DateOnly) }

// stepCheck is the step of a request that tries a key. Whether a key is good today
// is nothing to keep.
const stepCheck = "check"

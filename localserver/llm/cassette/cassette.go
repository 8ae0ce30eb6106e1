// Package cassette records the answers of model providers in a file, and answers from such a file:
// the same question gets the same answer, without a network, a key or costs. It replaces a
// provider, so a cassette contains no HTTP. It opens no connections, and never stores a key or a
// failed answer.
package cassette

import (
	"time"

	"github.com/parley-npc/parley/localserver/llm"
)

// Options configure the content of a cassette.
type Options struct {
	// MadeBy names the program in the first line, such as "parley 1.0.0".
	MadeBy string
	// Secrets are keys that must not reach the file, in any format. Texts under 8 bytes are
	// ignored, because they would mask ordinary words. Texts that look like a key never reach the
	// file anyway.
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

// dayText returns today's date in the format of a cassette: answers of one day look alike in a
// diff.
func (o Options) dayText() string { return o.Now().UTC().Format(time.DateOnly) }

// stepCheck is the step of a request that tries a key. It is not recorded, because the validity of
// a key changes.
const stepCheck = "check"

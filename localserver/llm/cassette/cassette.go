// Package cassette records the answers of model providers in a file, called a cassette, and
// replays them without a network, a key or costs. It never stores a key or a failed answer.
package cassette

import (
	"time"

	"github.com/parley-npc/parley/localserver/llm"
)

// Options configure a Recorder.
type Options struct {
	// MadeBy is the name and version of the recording program, such as "parley 1.0.0". The first
	// line of the file contains it.
	MadeBy string
	// Secrets are keys that are masked in the file, in any encoding. Keys shorter than 8 bytes are
	// ignored, because they would mask ordinary words. Texts that look like keys are always masked.
	Secrets []llm.Secret
	// Now is the clock for the dates of answers. The default is time.Now.
	Now func() time.Time
}

// dayText returns the date of an answer. It omits the time of day, so that diffs are small.
func (o Options) dayText() string { return o.Now().UTC().Format(time.DateOnly) }

// stepCheck is the step of a request that checks a key. It is not recorded, because a key may
// become invalid.
const stepCheck = "check"

// stepPrepare is the step of a request that makes the model's server read the instructions in
// advance. It is not recorded, because its answer is ignored.
const stepPrepare = "prepare"

package provider

import (
	"strings"
	"sync"

	"github.com/parley-npc/parley/personas/cache"
)

// maxQuirks is the maximum number of models with stored quirks, because callers choose models.
const maxQuirks = 1024

// The rungs of the schema ladder: the ways to request an answer in JSON, in the order of the
// attempts.
const (
	rungSchema = iota
	// rungJSON requests JSON from the API and describes the shape in words.
	rungJSON
	rungWords
)

// A quirk is a property of a model at an address, as learned from its answers.
type quirk uint16

// The quirks. noTemperature to noTemplate each omit a request member that the model rejects. The
// names of the members depend on the format.
const (
	noTemperature quirk = 1 << iota
	noUsage
	noEffort
	noThink
	noStop
	noTemplate
	// otherLimit sends max_completion_tokens instead of max_tokens, or the reverse.
	otherLimit
	// thinks raises the token limit, because thoughts count as part of the answer.
	thinks
	// unmarkedThought means that answers begin with a thought that has an end mark but no begin mark.
	unmarkedThought
	// plainAnswer means that a model whose name suggests thinking aloud has sent an answer without an
	// unmarked thought.
	plainAnswer
	// instructed means that the model's template was found to include the instructions.
	instructed
)

type quirks struct {
	known quirk
	rung  int
	// window is the context length in tokens that is requested from Ollama, or 0 for Ollama's default.
	window int
}

func (q quirks) has(one quirk) bool { return q.known&one != 0 }

func (q *quirks) add(one quirk) bool {
	isNew := !q.has(one)
	q.known |= one
	return isNew
}

type quirkMemory struct {
	mu    sync.Mutex
	known *cache.Cache[string, quirks]
}

func newQuirkMemory() *quirkMemory {
	return &quirkMemory{known: cache.New[string, quirks](maxQuirks)}
}

func (m *quirkMemory) recallQuirks(key string) quirks {
	q, _ := m.known.Find(key)
	return q
}

// keepQuirks merges quirks that have worked with the quirks that concurrent calls have stored.
func (m *quirkMemory) keepQuirks(key string, q quirks) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.recallQuirks(key)
	if q == old {
		return
	}
	limit := q.known & otherLimit // The other limit may be rejected later.
	m.known.Keep(key, quirks{(old.known|q.known)&^otherLimit | limit, max(old.rung, q.rung), max(old.window, q.window)}, 1)
}

var stopWords = []string{"'stop'", `"stop"`, "`stop`", "stop parameter", "parameter stop", "parameter: stop", "argument: stop", "stop_sequences", "stopsequences", "stop sequence"}

// lessons maps words in error messages to the request member that was rejected. asked reports
// whether a request contains the member. If asked is nil, every request may contain it.
var lessons = []struct {
	words []string
	quirk quirk
	asked func(r Request) bool
}{
	{[]string{"stream_options", "include_usage"}, noUsage, nil},
	{[]string{"reasoning_effort", "reasoning effort", "reasoning.effort", "effort parameter", "output_config.effort"}, noEffort, nil},
	{[]string{"chat_template_kwargs"}, noTemplate, func(r Request) bool { return r.NoThinking }},
	{[]string{"thinking", "think value"}, noThink, nil},
	{stopWords, noStop, func(r Request) bool { return len(r.Stop) > 0 }},
	{[]string{"temperature"}, noTemperature, func(r Request) bool { return r.Temperature != nil }},
	{[]string{"max_completion_tokens", "max_tokens"}, otherLimit, func(r Request) bool { return r.MaxTokens > 0 }},
}

// learnFrom returns the quirks with what the failure shows, or false if nothing changed. A rejected
// request for JSON goes one rung down even for an unknown reason.
func (q quirks) learnFrom(f *failure, r Request) (quirks, bool) {
	switch {
	case f.stopped:
		learned := q.add(noStop)
		return q, learned
	case f.thinking && r.TopTokens == 0:
		learned := q.add(thinks)
		return q, learned
	case f.kind != BadRequest:
		return q, false
	}
	said := strings.ToLower(f.providerText)
	for _, lesson := range lessons {
		if mentionsAny(said, lesson.words) && (lesson.asked == nil || lesson.asked(r)) && q.add(lesson.quirk) {
			return q, true
		}
	}
	if r.Schema == nil || q.rung >= rungWords {
		return q, false
	}
	q.rung++
	return q, true
}

const thinkingRoom = 4096

// stopSequences returns the stop sequences to send. A model that thinks aloud gets none, because
// they can end its thoughts.
func (q quirks) stopSequences(r Request) []string {
	if q.has(noStop | thinks | unmarkedThought) {
		return nil
	}
	return r.Stop
}

func (q quirks) tokenLimit(r Request, knownToThink bool) int {
	if r.MaxTokens > 0 && (q.has(thinks) || knownToThink) {
		return r.MaxTokens + thinkingRoom
	}
	return r.MaxTokens
}

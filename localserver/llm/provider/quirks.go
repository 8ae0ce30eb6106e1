package provider

import (
	"strings"
	"sync"

	"github.com/parley-npc/parley/personas/cache"
)

// maxQuirks is the maximum number of models with stored quirks. A maximum is needed
// because callers choose models.
const maxQuirks = 1024

// The rungs of the schema ladder. Each rung is a way to request an answer in JSON. They are tried
// in this order.
const (
	rungSchema = iota
	// rungJSON requests JSON from the API and describes the shape in words.
	rungJSON
	rungWords
)

// A quirk is a property of a model at an address, as learned from its answers.
type quirk uint16

// The quirks. Each of the quirks from noTemperature to noTemplate omits a request member that the
// model rejects. The names of the members depend on the format.
const (
	noTemperature quirk = 1 << iota
	noUsage
	noEffort
	noThink
	noTemplate
	// otherLimit switches between the members max_tokens and max_completion_tokens.
	otherLimit
	// thinks raises the token limit, because thoughts count as part of the answer.
	thinks
	// unmarkedThought means that answers begin with a thought that has only an end mark.
	unmarkedThought
	// plainAnswer means that an answer did not begin with an unmarked thought, although the model's
	// name suggests it.
	plainAnswer
	// instructed means that a check has shown that the model's template includes the instructions.
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

// keepQuirks stores quirks that have worked. It merges them with quirks that concurrent calls have
// stored.
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

// lessons maps words in an error message to the quirk that omits the rejected request member. asked
// reports whether a request contains the member. If asked is nil, every request may contain it.
var lessons = []struct {
	words []string
	quirk quirk
	asked func(r Request) bool
}{
	{[]string{"stream_options", "include_usage"}, noUsage, nil},
	{[]string{"reasoning_effort", "reasoning effort", "reasoning.effort", "effort parameter", "output_config.effort"}, noEffort, nil},
	{[]string{"chat_template_kwargs"}, noTemplate, func(r Request) bool { return r.NoThinking }},
	{[]string{"thinking", "think value"}, noThink, nil},
	{[]string{"temperature"}, noTemperature, func(r Request) bool { return r.Temperature != nil }},
	{[]string{"max_completion_tokens", "max_tokens"}, otherLimit, func(r Request) bool { return r.MaxTokens > 0 }},
}

// learnFrom returns the quirks with those that the failure shows. It returns false if nothing
// changed. If a request for JSON was rejected for an unknown reason, it also goes one rung down.
func (q quirks) learnFrom(f *failure, r Request) (quirks, bool) {
	switch {
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

func (q quirks) tokenLimit(r Request, knownToThink bool) int {
	if r.MaxTokens > 0 && (q.has(thinks) || knownToThink) {
		return r.MaxTokens + thinkingRoom
	}
	return r.MaxTokens
}

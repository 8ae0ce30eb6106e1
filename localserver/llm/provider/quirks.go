package provider

import (
	"strings"
	"sync"
)

// maxQuirks bounds how many models are remembered. Callers choose models, so it
// must not grow with them.
const maxQuirks = 1024

// The rungs of the schema ladder: the ways to ask for an answer in JSON.
const (
	// rungSchema hands the schema to the API.
	rungSchema = iota
	// rungJSON asks the API for JSON, and words for the shape.
	rungJSON
	// rungWords has only words.
	rungWords
)

// quirks are the features that a model at an address was found to refuse. The zero quirks allow
// everything.
type quirks struct {
	rung int
	// noTemperature, noUsage, noEffort, noThink leave out the members with that meaning, under
	// their names in each format.
	noTemperature, noUsage, noEffort, noThink, noStop, noTemplate bool
	// otherLimit uses the other one of max_tokens and max_completion_tokens.
	otherLimit bool
	// thinks raises the limit for thoughts, which count as part of the answer.
	thinks bool
	// unmarkedThought is set if answers begin with a thought that is marked only at its end.
	unmarkedThought bool
	// plain is set after an answer without such a thought, for a model with a name that suggests
	// them.
	plain bool
	// instructed is set after a check that the model's template passes instructions on.
	instructed bool
	// window is the context that Ollama must load the model with, in tokens; 0 is
	// Ollama's own.
	window int
}

// quirkMemory keeps quirks by address and model, for the life of a Client.
type quirkMemory struct {
	mu    sync.Mutex
	known map[string]quirks
}

func newQuirkMemory() *quirkMemory { return &quirkMemory{known: map[string]quirks{}} }

func (m *quirkMemory) recallQuirks(key string) quirks {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[key]
}

// keepQuirks stores quirks that proved to work. It merges the findings of concurrent calls.
func (m *quirkMemory) keepQuirks(key string, q quirks) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, known := m.known[key]
	if q == old {
		return
	}
	if !known && len(m.known) >= maxQuirks {
		// A forgotten entry is learned again at the cost of one refused request.
		for some := range m.known {
			delete(m.known, some)
			break
		}
	}
	m.known[key] = quirks{
		rung:          max(old.rung, q.rung),
		noTemperature: old.noTemperature || q.noTemperature,
		noUsage:       old.noUsage || q.noUsage,
		noEffort:      old.noEffort || q.noEffort,
		noThink:       old.noThink || q.noThink,
		noStop:        old.noStop || q.noStop,
		noTemplate:    old.noTemplate || q.noTemplate,
		otherLimit:    q.otherLimit,
		thinks:        old.thinks || q.thinks,
		window:        max(old.window, q.window),

		unmarkedThought: old.unmarkedThought || q.unmarkedThought,
		plain:           old.plain || q.plain,
		instructed:      old.instructed || q.instructed,
	}
}

// stopWords are how servers refuse stop sequences.
var stopWords = []string{"'stop'", `"stop"`, "`stop`", "stop parameter", "parameter stop", "parameter: stop", "argument: stop", "stop_sequences", "stopsequences", "stop sequence"}

// lessons are the members that servers refuse, by the words of the refusals. A lesson returns false
// if it was learned already or does not apply to the request.
var lessons = []struct {
	words []string
	learn func(q *quirks, r Request) bool
}{
	{[]string{"stream_options", "include_usage"}, func(q *quirks, _ Request) bool { return setOnce(&q.noUsage) }},
	{[]string{"reasoning_effort", "reasoning effort", "reasoning.effort", "effort parameter", "output_config.effort"}, func(q *quirks, _ Request) bool { return setOnce(&q.noEffort) }},
	{[]string{"chat_template_kwargs"}, func(q *quirks, r Request) bool { return r.NoThinking && setOnce(&q.noTemplate) }},
	{[]string{"thinking", "think value"}, func(q *quirks, _ Request) bool { return setOnce(&q.noThink) }},
	{stopWords, func(q *quirks, r Request) bool { return len(r.Stop) > 0 && setOnce(&q.noStop) }},
	{[]string{"temperature"}, func(q *quirks, r Request) bool { return r.Temperature != nil && setOnce(&q.noTemperature) }},
	{[]string{"max_completion_tokens", "max_tokens"}, func(q *quirks, r Request) bool { return r.MaxTokens > 0 && setOnce(&q.otherLimit) }},
	{nil, func(q *quirks, r Request) bool { return r.Schema != nil && q.lowerRung() }},
}

// learnFrom draws a lesson from a request that was not taken. A request for JSON
// that was refused for a reason that is not understood goes one rung lower too.
func (q quirks) learnFrom(f *failure, r Request) (quirks, bool) {
	if f.stopped {
		learned := setOnce(&q.noStop)
		return q, learned
	}
	if f.thinking && r.TopTokens == 0 {
		known := q.thinks
		q.thinks = true
		return q, !known
	}
	if f.kind != BadRequest {
		return q, false
	}
	said := strings.ToLower(f.providerText)
	for _, lesson := range lessons {
		if lesson.words != nil && !mentionsAny(said, lesson.words) {
			continue
		}
		if lesson.learn(&q, r) {
			return q, true
		}
	}
	return q, false
}

func (q *quirks) lowerRung() bool {
	if q.rung >= rungWords {
		return false
	}
	q.rung++
	return true
}

func setOnce(b *bool) bool {
	if *b {
		return false
	}
	*b = true
	return true
}

// thinkingRoom is the number of tokens for a model's thoughts, in addition to those of the answer.
const thinkingRoom = 4096

// stopSequences returns those of a request, none for a model that refuses them or is known
// to think aloud: they would end its thoughts.
func (q quirks) stopSequences(r Request) []string {
	if q.noStop || q.thinks || q.unmarkedThought {
		return nil
	}
	return r.Stop
}

// tokenLimit returns the most tokens that the answer may have, thoughts
// included; 0 leaves it to the model.
func (q quirks) tokenLimit(r Request, knownToThink bool) int {
	if r.MaxTokens > 0 && (q.thinks || knownToThink) {
		return r.MaxTokens + thinkingRoom
	}
	return r.MaxTokens
}

package provider

import (
	"strings"
	"sync"
)

// maxQuirks is the maximum number of models with stored quirks, because callers choose models.
const maxQuirks = 1024

// The rungs of the schema ladder: the ways to request an answer in JSON, in the order of the
// attempts.
const (
	// rungSchema sends the schema to the API.
	rungSchema = iota
	// rungJSON requests JSON from the API and describes the shape in words.
	rungJSON
	// rungWords describes the shape in words.
	rungWords
)

// quirks describe the behaviour of a model at an address, as learned from its answers.
type quirks struct {
	rung int
	// noTemperature, noUsage, noEffort, noThink, noStop and noTemplate each omit a request member that
	// the model rejects. The names of the members depend on the format.
	noTemperature, noUsage, noEffort, noThink, noStop, noTemplate bool
	// usesOtherLimit sends max_completion_tokens instead of max_tokens, or the reverse.
	usesOtherLimit bool
	// thinks raises the token limit, because thoughts count as part of the answer.
	thinks bool
	// unmarkedThought means that answers begin with a thought that has an end mark but no begin mark.
	unmarkedThought bool
	// doesNotThinkAloud means that a model whose name suggests thinking aloud has sent an answer without an
	// unmarked thought.
	doesNotThinkAloud bool
	// instructed means that the model's template was found to include the instructions.
	instructed bool
	// window is the context length in tokens that is requested from Ollama, or 0 for Ollama's default.
	window int
}

// quirkMemory stores the quirks of each model at an address while a Client exists.
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

// keepQuirks merges quirks that have worked with the quirks that concurrent calls have stored.
func (m *quirkMemory) keepQuirks(key string, q quirks) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, known := m.known[key]
	if q == old {
		return
	}
	if !known && len(m.known) >= maxQuirks {
		// The quirks of a dropped model are learned again at the cost of one rejected request.
		for some := range m.known {
			delete(m.known, some)
			break
		}
	}
	m.known[key] = quirks{
		rung:           max(old.rung, q.rung),
		noTemperature:  old.noTemperature || q.noTemperature,
		noUsage:        old.noUsage || q.noUsage,
		noEffort:       old.noEffort || q.noEffort,
		noThink:        old.noThink || q.noThink,
		noStop:         old.noStop || q.noStop,
		noTemplate:     old.noTemplate || q.noTemplate,
		usesOtherLimit: q.usesOtherLimit,
		thinks:         old.thinks || q.thinks,
		window:         max(old.window, q.window),

		unmarkedThought:   old.unmarkedThought || q.unmarkedThought,
		doesNotThinkAloud: old.doesNotThinkAloud || q.doesNotThinkAloud,
		instructed:        old.instructed || q.instructed,
	}
}

// stopWords occur in errors about rejected stop sequences.
var stopWords = []string{"'stop'", `"stop"`, "`stop`", "stop parameter", "parameter stop", "parameter: stop", "argument: stop", "stop_sequences", "stopsequences", "stop sequence"}

// lessons maps words in error messages to rejected request members. learn returns false if the
// lesson was known before, or does not apply to the request.
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
	{[]string{"max_completion_tokens", "max_tokens"}, func(q *quirks, r Request) bool { return r.MaxTokens > 0 && setOnce(&q.usesOtherLimit) }},
	{nil, func(q *quirks, r Request) bool { return r.Schema != nil && q.lowerRung() }},
}

// learnFrom returns the quirks with what the failure shows, or false if nothing changed. A rejected
// request for JSON goes one rung down even for an unknown reason.
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

// thinkingRoom is the number of tokens for thoughts, in addition to the tokens of the answer.
const thinkingRoom = 4096

// stopSequences returns the stop sequences to send. A model that thinks aloud gets none, because
// they can end its thoughts.
func (q quirks) stopSequences(r Request) []string {
	if q.noStop || q.thinks || q.unmarkedThought {
		return nil
	}
	return r.Stop
}

// tokenLimit returns the maximum number of tokens of the answer with thoughts, or 0 for the model's
// default.
func (q quirks) tokenLimit(r Request, knownToThink bool) int {
	if r.MaxTokens > 0 && (q.thinks || knownToThink) {
		return r.MaxTokens + thinkingRoom
	}
	return r.MaxTokens
}

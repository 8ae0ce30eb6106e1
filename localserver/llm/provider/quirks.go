package provider

import (
	"strings"
	"sync"

	"github.com/parley-npc/parley/personas/cache"
)

// Callers choose models, so the number of stored models needs a limit.
const maxQuirks = 1024

// The rungs are ways to request JSON, in the order of the attempts.
const (
	rungSchema = iota
	rungJSON
	rungWords
)

type quirk uint16

// The quirks from noTemperature to noTemplate omit a rejected member of the request.
const (
	noTemperature quirk = 1 << iota
	noUsage
	noEffort
	noThink
	noTemplate
	otherLimit
	// Thoughts count as part of the answer.
	thinks
	unmarkedThought
	plainAnswer
	instructed
)

type quirks struct {
	active quirk
	rung   int
	window int
}

func (q quirks) has(flag quirk) bool { return q.active&flag != 0 }

func (q *quirks) add(flag quirk) bool {
	isNew := !q.has(flag)
	q.active |= flag
	return isNew
}

type quirkMemory struct {
	mu    sync.Mutex
	cache *cache.Cache[string, quirks]
}

func newQuirkMemory() *quirkMemory {
	return &quirkMemory{cache: cache.New[string, quirks](maxQuirks)}
}

func (m *quirkMemory) recall(key string) quirks {
	q, _ := m.cache.Find(key)
	return q
}

func (m *quirkMemory) remember(key string, learned quirks) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.recall(key)
	if learned == old {
		return
	}
	limit := learned.active & otherLimit // The other limit may be rejected later.
	m.cache.Keep(key, quirks{
		(old.active|learned.active)&^otherLimit | limit, max(old.rung, learned.rung), max(old.window, learned.window),
	}, 1)
}

// applies reports whether the request contains the member. Nil means always.
var lessons = []struct {
	words   []string
	quirk   quirk
	applies func(r Request) bool
}{
	{[]string{"stream_options", "include_usage"}, noUsage, nil},
	{[]string{
		"reasoning_effort", "reasoning effort", "reasoning.effort", "effort parameter", "output_config.effort",
	}, noEffort, nil},
	{[]string{"chat_template_kwargs"}, noTemplate, func(r Request) bool { return r.NoThinking }},
	{[]string{"thinking", "think value"}, noThink, nil},
	{[]string{"temperature"}, noTemperature, func(r Request) bool { return r.Temperature != nil }},
	{[]string{"max_completion_tokens", "max_tokens"}, otherLimit, func(r Request) bool { return r.MaxTokens > 0 }},
}

func (q quirks) learnFrom(failed *failure, r Request) (quirks, bool) {
	switch {
	case failed.thinking && r.TopTokens == 0:
		learned := q.add(thinks)
		return q, learned
	case failed.kind != BadRequest:
		return q, false
	}
	text := strings.ToLower(failed.providerText)
	for _, lesson := range lessons {
		isSent := lesson.applies == nil || lesson.applies(r)
		if isSent && mentionsAny(text, lesson.words) && q.add(lesson.quirk) {
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

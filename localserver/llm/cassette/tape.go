package cassette

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// tape is what a cassette has, ready to be looked up. It is safe for concurrent
// use.
type tape struct {
	name string

	mu      sync.RWMutex
	entries []*entry
	index   map[string][]*entry // by digest, in the order of the file
}

// entry is a question with its answer.
type entry struct {
	question question
	digest   string
	// model is who answered, as provider/model; date is the day.
	model, date string
	answer      answer
	// line is where it stands in the file; 0 for one that is new.
	line int
	used bool
}

// tooLong is the end of an answer that was never given: the question was longer
// than the model can read.
const tooLong provider.Finish = "too-long"

// answer is what was answered; pieces are the text as it came in a stream, nil
// when it came at once.
type answer struct {
	text    string
	pieces  []string
	finish  provider.Finish
	in, out int
}

func newTape(name string) *tape { return &tape{name: name, index: map[string][]*entry{}} }

func (t *tape) add(e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, e)
	t.index[e.digest] = append(t.index[e.digest], e)
}

// take finds an answer of the model, the latest of several, and notes that it was
// used. Where the model has none, any gives the latest of all.
func (t *tape) take(digest, model string, anyModel bool) *entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.index[digest]
	var found *entry
	for _, e := range slices.Backward(list) {
		if e.model == model {
			found = e
			break
		}
	}
	if found == nil && anyModel && len(list) > 0 {
		found = list[len(list)-1]
	}
	if found != nil {
		found.used = true
	}
	return found
}

// snapshot is a copy of the list of entries.
func (t *tape) snapshot() []*entry {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Clone(t.entries)
}

// models are those who answered, each once.
func (t *tape) models() []string {
	var names []string
	for _, e := range t.snapshot() {
		if !slices.Contains(names, e.model) {
			names = append(names, e.model)
		}
	}
	return names
}

// unused describes the entries that nobody asked for, in the order of the file.
func (t *tape) unused() []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var list []string
	for _, e := range t.entries {
		if !e.used {
			list = append(list, fmt.Sprintf("%s:%d: %s, %s", t.name, e.line, e.question.what(), e.question.about()))
		}
	}
	return list
}

// about recalls a question to who knows the conversation: its last message.
func (q question) about() string {
	if len(q.messages) == 0 {
		return "without a message"
	}
	return quote(q.messages[len(q.messages)-1].Text, 0)
}

// whole is the answer as a provider gives it.
func (e *entry) whole() provider.Answer {
	a := e.answer
	return provider.Answer{Text: a.text, Finish: a.finish, Usage: llm.Usage{Model: e.model, In: a.in, Out: a.out}}
}

// stream is the answer in the pieces in which it came.
func (a answer) stream() []string {
	switch {
	case a.pieces != nil:
		return a.pieces
	case a.text != "":
		return []string{a.text}
	}
	return nil
}

// newAnswer keeps an answer without keys. Where one is taken out the pieces go, as
// it may stand in several.
func newAnswer(given provider.Answer, pieces []string, s scrubber) answer {
	a := answer{text: s.clean(given.Text), finish: given.Finish, in: given.Usage.In, out: given.Usage.Out}
	if len(pieces) > 1 && strings.Join(pieces, "") == a.text {
		a.pieces = slices.Clone(pieces)
	}
	return a
}

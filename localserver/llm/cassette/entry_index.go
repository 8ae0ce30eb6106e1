package cassette

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// entryIndex is the indexed content of a cassette. It is safe for concurrent use.
type entryIndex struct {
	name string

	mu      sync.RWMutex
	entries []*entry
	index   map[string][]*entry // by digest, in the order of the file
}

// entry is a question with its answer.
type entry struct {
	question question
	digest   string
	// model is the model that answered, as provider/model; date is the day.
	model, date string
	answer      recordedAnswer
	// line is the line in the file; 0 for a new entry.
	line int
	used bool
}

// tooLong is the end of an answer that was never given: the question was longer
// than the model can read.
const tooLong provider.Finish = "too-long"

// recordedAnswer is an answer; pieces are the pieces of a streamed text, nil for a whole one.
type recordedAnswer struct {
	text    string
	pieces  []string
	finish  provider.Finish
	in, out int
	cached  int // of in
	first   []tokenLine
}

func newEntryIndex(name string) *entryIndex {
	return &entryIndex{name: name, index: map[string][]*entry{}}
}

func (t *entryIndex) addEntry(e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, e)
	t.index[e.digest] = append(t.index[e.digest], e)
}

// takeEntry finds the latest answer of the model and marks it as used. If it is missing and
// anyModel is set, it returns the latest answer of any model.
func (t *entryIndex) takeEntry(digest, model string, anyModel bool) *entry {
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

// judgedSchema is the name of the schema of a judgement as JSON.
const judgedSchema = "evaluation"

// hasObjects reports whether a model has judged as JSON.
func (t *entryIndex) hasObjects(model string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.ContainsFunc(t.entries, func(e *entry) bool { return e.model == model && e.question.schema.Name == judgedSchema })
}

// copyEntries returns a copy of the list of entries.
func (t *entryIndex) copyEntries() []*entry {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Clone(t.entries)
}

// answeringModels returns the models that have answers here, each once.
func (t *entryIndex) answeringModels() []string {
	var names []string
	for _, e := range t.copyEntries() {
		if !slices.Contains(names, e.model) {
			names = append(names, e.model)
		}
	}
	return names
}

// unusedEntries describes the unused entries, in the order of the file.
func (t *entryIndex) unusedEntries() []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var list []string
	for _, e := range t.entries {
		if !e.used {
			list = append(list, fmt.Sprintf("%s:%d: %s, %s", t.name, e.line, e.question.describeStep(), e.question.lastMessage()))
		}
	}
	return list
}

// Beginnings of lines: with the player's words if a conversation is data, and with the message to
// judge.
const (
	playersLine = "\n{\"player\": "
	judgedLine  = "\nThe message: "
)

// lastMessage identifies a question for a reader who knows the conversation: it returns its last
// message or, if the conversation is data, the player's last line.
func (q question) lastMessage() string {
	if len(q.messages) == 0 {
		return "without a message"
	}
	text := q.messages[len(q.messages)-1].Text
	at := max(strings.LastIndex(text, playersLine), strings.LastIndex("\n"+text, judgedLine)-1)
	return quoteAt(text[at+1:], 0)
}

// toAnswer converts the entry to the answer of a provider to a request.
func (e *entry) toAnswer(r provider.Request) provider.Answer {
	a := e.answer
	answer := provider.Answer{Text: r.FillNames(a.text), Finish: a.finish, Usage: llm.Usage{Model: e.model, In: a.in, Out: a.out, Cached: a.cached}}
	for _, t := range a.first {
		answer.First = append(answer.First, provider.TokenProbability(t))
	}
	return answer
}

// toPieces returns the answer in its original pieces.
func (a recordedAnswer) toPieces() []string {
	switch {
	case a.pieces != nil:
		return a.pieces
	case a.text != "":
		return []string{a.text}
	}
	return nil
}

// toRecordedAnswer returns the answer to a request without keys and drawn names. If one is removed,
// the pieces are dropped, because it may span several.
func toRecordedAnswer(r provider.Request, given provider.Answer, pieces []string, s scrubber) recordedAnswer {
	a := recordedAnswer{text: s.cleanText(r.KeepMeanings(given.Text)), finish: given.Finish, in: given.Usage.In, out: given.Usage.Out, cached: given.Usage.Cached}
	for _, t := range given.First {
		a.first = append(a.first, tokenLine{s.cleanText(t.Token), math.Round(t.Probability*1e4) / 1e4})
	}
	if len(pieces) > 1 && strings.Join(pieces, "") == a.text {
		a.pieces = slices.Clone(pieces)
	}
	return a
}

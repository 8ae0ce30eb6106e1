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

// entryIndex contains the entries of a cassette, indexed by digest. It is safe for concurrent use.
type entryIndex struct {
	name string

	mu      sync.RWMutex
	entries []*entry
	index   map[string][]*entry // by digest, in the order of the file
}

type entry struct {
	question question
	digest   string
	// model is the model that answered, as provider/model. date is the day of the answer.
	model, date string
	answer      recordedAnswer
	// line is the line number in the file, or 0 for a new entry.
	line int
	used bool
}

// tooLong is recorded instead of an answer if the question was longer than the model's context.
const tooLong provider.Finish = "too-long"

// recordedAnswer is an answer. pieces is nil for an answer that was not streamed.
type recordedAnswer struct {
	text    string
	pieces  []string
	finish  provider.Finish
	in, out int
	cached  int // the part of in that came from the provider's cache
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

const judgedSchema = "evaluation"

func (t *entryIndex) hasObjects(model string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.ContainsFunc(t.entries, func(e *entry) bool { return e.model == model && e.question.schema.Name == judgedSchema })
}

func (t *entryIndex) copyEntries() []*entry {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Clone(t.entries)
}

func (t *entryIndex) answeringModels() []string {
	var names []string
	for _, e := range t.copyEntries() {
		if !slices.Contains(names, e.model) {
			names = append(names, e.model)
		}
	}
	return names
}

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

// playersLine is the beginning of a player's line in a conversation that is sent as data.
// judgedLine is the beginning of the line with the message to judge.
const (
	// playersLine begins a player's line in a conversation that is sent as data. judgedLine begins the
	// line with the message to judge.
	playersLine = "\n{\"player\": "
	judgedLine  = "\nThe message: "
)

// lastMessage returns the text by which a reader recognizes a question: the last message, or the
// player's last line of a conversation that is sent as data.
func (q question) lastMessage() string {
	if len(q.messages) == 0 {
		return "without a message"
	}
	text := q.messages[len(q.messages)-1].Text
	at := max(strings.LastIndex(text, playersLine), strings.LastIndex("\n"+text, judgedLine)-1)
	return quoteAt(text[at+1:], 0)
}

func (e *entry) toAnswer(r provider.Request) provider.Answer {
	a := e.answer
	answer := provider.Answer{Text: r.FillNames(a.text), Finish: a.finish, Usage: llm.Usage{Model: e.model, In: a.in, Out: a.out, Cached: a.cached}}
	for _, t := range a.first {
		answer.First = append(answer.First, provider.TokenProbability(t))
	}
	return answer
}

func (a recordedAnswer) toPieces() []string {
	switch {
	case a.pieces != nil:
		return a.pieces
	case a.text != "":
		return []string{a.text}
	}
	return nil
}

// toRecordedAnswer masks keys and replaces drawn names in an answer. If that changes the text, the
// pieces are dropped, because a key may span pieces.
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

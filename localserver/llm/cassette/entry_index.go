package cassette

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

type entry struct {
	question question
	digest   string
	model    string // provider/model
	date     string // of the answer
	answer   answerLine
	line     int
	used     bool
}

// tooLong is recorded for a question longer than the model's context.
const tooLong provider.Finish = "too-long"

func (t *cassetteFile) addEntry(e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, e)
	t.index[e.digest] = append(t.index[e.digest], e)
}

func (t *cassetteFile) useEntry(digest, model string, anyModel bool) *entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.index[digest]
	var match *entry
	for _, e := range slices.Backward(list) {
		if e.model == model {
			match = e
			break
		}
	}
	if match == nil && anyModel && len(list) > 0 {
		match = list[len(list)-1]
	}
	if match != nil {
		match.used = true
	}
	return match
}

const judgedSchema = "evaluation"

func (t *cassetteFile) hasObjects(model string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.entries, func(e *entry) bool {
		return e.model == model && e.question.schema.Name == judgedSchema
	})
}

func (t *cassetteFile) copyEntries() []*entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.entries)
}

func (t *cassetteFile) answeringModels() []string {
	var names []string
	for _, e := range t.copyEntries() {
		if !slices.Contains(names, e.model) {
			names = append(names, e.model)
		}
	}
	return names
}

func (t *cassetteFile) unusedEntries() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []string
	for _, e := range t.entries {
		if !e.used {
			step, message := e.question.describeStep(), e.question.lastMessage()
			list = append(list, fmt.Sprintf("%s:%d: %s, %s", t.name, e.line, step, message))
		}
	}
	return list
}

const (
	playersLine = "\n{\"player\": "
	judgedLine  = "\nThe message: "
)

func (q question) lastMessage() string {
	if len(q.messages) == 0 {
		return "without a message"
	}
	text := q.messages[len(q.messages)-1].Text
	lineFeed := max(strings.LastIndex(text, playersLine), strings.LastIndex("\n"+text, judgedLine)-1)
	return quoteAt(text[lineFeed+1:], 0)
}

func (e *entry) toAnswer(r provider.Request) provider.Answer {
	a := e.answer
	return provider.Answer{
		Text: r.FillNames(strings.Join(a.toPieces(), "")), Finish: a.Finish, First: a.First,
		Usage: llm.Usage{Model: e.model, In: a.In, Out: a.Out, Cached: a.Cached},
	}
}

func (a *answerLine) toPieces() []string {
	switch {
	case a.Pieces != nil:
		return a.Pieces
	case a.Text != "":
		return []string{a.Text}
	}
	return nil
}

// newAnswerLine drops the pieces if masking changes the text, because a key may span pieces.
func newAnswerLine(r provider.Request, answer provider.Answer, pieces []string, s scrubber) answerLine {
	a := answerLine{
		Text: s.cleanText(r.KeepMeanings(answer.Text)), Finish: answer.Finish,
		In: answer.Usage.In, Out: answer.Usage.Out, Cached: answer.Usage.Cached,
	}
	for _, t := range answer.First {
		rounded := math.Round(t.Probability*1e4) / 1e4
		a.First = append(a.First, provider.TokenProbability{Token: s.cleanText(t.Token), Probability: rounded})
	}
	if len(pieces) > 1 && strings.Join(pieces, "") == a.Text {
		a.Text, a.Pieces = "", pieces
	}
	return a
}

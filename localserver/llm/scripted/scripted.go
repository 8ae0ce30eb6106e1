// Package scripted implements the built-in model. Characters speak their authors' lines, or else
// the sentences in languages/*.yaml, without a key or a network. Package personas/intent decides
// what a message means. Package scripted chooses replies, writes summaries and extracts output
// variables. The same conversation always gets the same texts
// (docs/persona-file.md#play-without-a-model).
package scripted

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/intent"
)

// Model is the built-in model. It is safe for concurrent use.
type Model struct {
	reader func() *intent.Reader
	texts  languageTexts
	seed   uint64
}

var _ llm.Model = (*Model)(nil)

// New returns the built-in model.
func New() *Model {
	return &Model{reader: sync.OnceValue(intent.NewReader), texts: newLanguageTexts()}
}

// WithSeed returns a copy of the model with a seed for the choice of lines.
func (m *Model) WithSeed(seed uint64) *Model {
	return &Model{reader: m.reader, texts: m.texts, seed: seed}
}

// Open returns an opening line of the initial state, or else an enter line or a plain sentence.
// Open calls emit once with the whole text.
func (m *Model) Open(ctx context.Context, input llm.Input, emit func(delta string) error) (llm.GeneratedText, error) {
	if err := ctx.Err(); err != nil {
		return llm.GeneratedText{}, err
	}
	s := m.sceneOf(input)
	reply, err := s.enterLine(input.State, true)
	if err != nil {
		return llm.GeneratedText{}, err
	}
	if reply.Text == "" {
		reply = s.freshLine(saltOpening, s.fill(s.texts.Opening, input.State), "plain opening")
	}
	if emit == nil {
		return reply, nil
	}
	return reply, emit(reply.Text)
}

// Reply returns a line of the judged state for the decision. Lines of the entered state and of the
// outcome follow as paragraphs. Without such lines by the author, Reply describes the result. Reply
// calls emit for each word.
func (m *Model) Reply(
	ctx context.Context, input llm.Input, result llm.StepResult, emit func(delta string) error,
) (llm.GeneratedText, error) {
	if err := ctx.Err(); err != nil {
		return llm.GeneratedText{}, err
	}
	reply, err := m.composeReply(input, result)
	if err != nil {
		return llm.GeneratedText{}, err
	}
	for word := range strings.SplitAfterSeq(reply.Text, " ") {
		if err := ctx.Err(); err != nil {
			return llm.GeneratedText{}, err
		}
		if err := emit(word); err != nil {
			return llm.GeneratedText{}, err
		}
	}
	return reply, nil
}

func (m *Model) composeReply(input llm.Input, result llm.StepResult) (llm.GeneratedText, error) {
	s, verdict := m.sceneOf(input), result.OfflineVerdict
	if verdict == nil {
		decided := m.decide(input)
		verdict = &decided
	}
	if result.Aside {
		return s.answerAside(verdict)
	}
	reaction, reactionErr := s.reactionLine(result, verdict)
	entered, enteredErr := s.enterLine(result.Entered, false)
	outcome, outcomeErr := s.outcomeLine(result)
	if err := errors.Join(reactionErr, enteredErr, outcomeErr); err != nil {
		return llm.GeneratedText{}, err
	}
	var texts, reasons []string
	for _, line := range [...]llm.GeneratedText{reaction, entered, outcome} {
		if line.Text != "" {
			texts, reasons = append(texts, line.Text), append(reasons, line.Why)
		}
	}
	reply := llm.GeneratedText{Text: strings.Join(texts, "\n\n"), Why: strings.Join(reasons, "; ")}
	if len(texts) == 0 {
		reply = s.freshLine(saltReply, s.plainReply(result), "plain line for "+resultName(result))
	}
	if result.FollowUp && verdict.WouldLose {
		reply.Text += "\n\n" + s.fillLine(s.texts.Warning, s.State)
		reply.Why += "; a warning"
	}
	return reply, nil
}

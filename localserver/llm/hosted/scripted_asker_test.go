package hosted_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/hosted"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// scriptedAsker is an asker that plays a script and remembers what it was asked.
type scriptedAsker struct {
	name    string
	letters bool // reports the probabilities of tokens
	decides bool // is a decision model
	play    func(ctx context.Context, r provider.Request, emit func(string) error) (provider.Answer, error)

	mu   sync.Mutex
	seen []provider.Request
}

func (s *scriptedAsker) Model() string { return s.name }

func (s *scriptedAsker) Place() string { return s.name }

func (s *scriptedAsker) Ask(ctx context.Context, r provider.Request, emit func(string) error) (provider.Answer, error) {
	if r.TopTokens > 0 && !s.letters || r.Decision != nil && !s.decides {
		return provider.Answer{}, &provider.Error{Kind: provider.Unsupported, Provider: "openai", Model: "gpt-x", Message: "openai/gpt-x: no probabilities"}
	}
	s.mu.Lock()
	s.seen = append(s.seen, r)
	s.mu.Unlock()
	return s.play(ctx, r, emit)
}

// answer is one thing that a scripted asker does.
type answer struct {
	pieces []string
	finish provider.Finish
	err    error
	first  []provider.TokenProbability
}

func answerWith(pieces ...string) answer { return answer{pieces: pieces, finish: provider.Stopped} }

func refuseWith(pieces ...string) answer { return answer{pieces: pieces, finish: provider.Refused} }

func failWith(kind provider.Kind) answer {
	return answer{err: &provider.Error{Kind: kind, Provider: "openai", Model: "gpt-x", Message: "openai/gpt-x: " + string(kind)}}
}

// scriptAnswers returns the answers in order; each costs 10 tokens in and 1 out.
func scriptAnswers(answers ...answer) *scriptedAsker {
	s := &scriptedAsker{name: "openai/gpt-x"}
	s.play = func(_ context.Context, r provider.Request, emit func(string) error) (provider.Answer, error) {
		if len(s.seen) > len(answers) {
			panic("asked more often than the script says")
		}
		a := answers[len(s.seen)-1]
		for _, piece := range a.pieces {
			if emit == nil {
				break
			}
			if err := emit(piece); err != nil {
				return provider.Answer{}, err
			}
		}
		if a.err != nil {
			return provider.Answer{}, a.err
		}
		text, usage := nameValues(r, strings.Join(a.pieces, "")), llm.Usage{Model: s.name, In: 10, Out: 1}
		return provider.Answer{Text: text, Finish: a.finish, First: a.first, Usage: usage}, nil
	}
	return s
}

// nameValues returns an answer with the names drawn by a request as keys.
func nameValues(r provider.Request, answer string) string {
	for _, d := range r.Drawn {
		plain := strings.TrimPrefix(strings.Trim(d.Meaning, "«»"), "value-")
		answer = strings.ReplaceAll(answer, `"`+plain+`"`, `"`+d.Name+`"`)
	}
	return answer
}

// blockedAsker returns an asker that blocks until its caller gives up.
func blockedAsker() *scriptedAsker {
	s := &scriptedAsker{name: "openai/gpt-x"}
	s.play = func(ctx context.Context, _ provider.Request, _ func(string) error) (provider.Answer, error) {
		<-ctx.Done()
		const message = "openai/gpt-x: no answer came in time"
		return provider.Answer{}, &provider.Error{Kind: provider.Late, Provider: "openai", Model: "gpt-x", Message: message, Cause: ctx.Err()}
	}
	return s
}

// modelOf returns a model that uses one asker for all steps, including openings.
func modelOf(s *scriptedAsker) *hosted.Model {
	return hosted.New(hosted.Options{Evaluation: s, Response: s, Summarization: s, AskOpenings: true})
}

const document = `
name: Ottoline Frost
description: Night clerk.
persona_identity_prompt: |
  You are Ottoline Frost, night clerk of the Hotel Meridian since before the lift was put in by the two brothers.
  When somebody comes in you say "Good evening and welcome to the Hotel Meridian where every night has thirteen hours and a half".
machines:
  - machine_key: check-in
    states:
      - state_key: desk
        is_initial_state: true
        prompt_instruction: Ask for the reason of the stay.
        offline:
          opening: [The bell rings.]
          lines: {redirect: [Older than the street.], pass: [Lovely.]}
      - {state_key: rules, is_terminal_state: true, offline: {lines: {enter: [Three rules.]}}}
    transitions:
      - {from_state_key: desk, to_state_key: rules, decision_type: pass}
      - {from_state_key: desk, decision_type: redirect}
    output_variables:
      - {key: purpose, extraction_prompt: The reason for the stay.}
      - {key: tale, extraction_prompt: The dream.}
`

func inputOf(t testing.TB) llm.Input {
	t.Helper()
	doc, _, faults := personas.Parse("persona.yaml", []byte(document))
	assert.Empty(t, faults)
	m := &doc.Machines[0]
	return llm.Input{
		Persona: &doc, Machine: m, State: &m.States[0], Player: llm.Player{Name: "Mira", Gender: "female"},
		Outgoing: []int{0, 1}, FollowUpAllowed: true, Message: "How old is the lift?", Summary: strings.Repeat("s", 900),
		Recent: []llm.Message{
			{Role: "assistant", Text: "Good evening."}, {Role: "user", Text: "Hello."},
			{Role: "assistant", Text: "The reason for your stay?"}, {Role: "user", Text: "Hm."}, {Role: "assistant", Text: "Well?"},
		},
	}
}

var passed = llm.StepResult{Decision: personas.DecidePass}

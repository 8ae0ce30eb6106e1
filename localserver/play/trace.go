package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

type trace struct {
	Evaluation string      `json:"evaluation,omitempty"`
	Aside      bool        `json:"aside,omitempty"`
	Holds      []traceHold `json:"holds,omitempty"`
	Transition int         `json:"transition"` // index of the transition that gave the score, or -1
	Reply      string      `json:"reply,omitempty"`
	Summary    string      `json:"summary,omitempty"`
	Extraction string      `json:"extraction,omitempty"`
	Usage      stepUsage   `json:"usage,omitempty"`

	Choices      []wire.TraceChoice `json:"choices,omitempty"`
	Method       string             `json:"method,omitempty"`
	Milliseconds int                `json:"milliseconds,omitempty"`
}

func traceChoices(e *llm.Evaluation) []wire.TraceChoice {
	choices := e.Choices
	if choices == nil && e.OfflineVerdict != nil {
		for _, w := range e.OfflineVerdict.Weighed {
			choices = append(choices, llm.Choice{Decision: w.Decision, Transition: w.Row, Probability: w.Probability})
		}
	}
	var out []wire.TraceChoice
	for i := range choices {
		c := wire.TraceChoice{Decision: choices[i].Decision, Probability: math.Round(choices[i].Probability*1e4) / 1e4}
		if choices[i].Transition >= 0 {
			c.Transition = &choices[i].Transition
		}
		out = append(out, c)
	}
	return out
}

type traceHold struct {
	Transition int    `json:"transition"`
	Why        string `json:"why,omitempty"`
}

// Trace opens the trace of a session for the persona's owner, or for a player with director's
// marks. An empty ref.Machine selects the session that was opened last. If several players share a
// user session id, the owner's player comes first, then an anonymous player, then the newest. The
// error kind is Forbidden, NotFound or NoMessage.
func (s *Service) Trace(ctx context.Context, ref Ref, part HistoryPart) (*TracePages, error) {
	pages, err := s.Store.OpenTraces(ctx, ref.storePlayer(), ref.Machine, part)
	if errors.Is(err, store.ErrForbidden) && s.AllMayDirect(ctx) {
		pages, err = s.Store.OpenOwnTraces(ctx, ref.storePlayer(), ref.Machine, part)
	}
	if errors.Is(err, store.ErrForbidden) {
		return nil, &Error{
			Kind: Forbidden, Message: "only the persona's owner may read the traces of its sessions", Cause: err,
		}
	}
	if err != nil {
		return nil, callerError(err)
	}
	session := &pages.Session
	head := wire.Trace{
		SessionID: session.ID, PersonaID: ref.PersonaID, MachineID: session.MachineID, Turns: []wire.TurnTrace{},
	}
	return &TracePages{History: pages, Head: head, toItem: readTurnTrace}, nil
}

func readTurnTrace(row *store.Message) (wire.TurnTrace, error) {
	var stored trace
	if err := json.Unmarshal([]byte(row.Trace), &stored); err != nil {
		return wire.TurnTrace{}, fmt.Errorf("trace of message %s: %w", row.ID, err)
	}
	turnTrace := wire.TurnTrace{
		MessageID: row.ID, CreatedAt: wire.Time{Time: row.At}, Evaluation: stored.Evaluation, Aside: stored.Aside,
		Holds:   make([]wire.Hold, len(stored.Holds)),
		Choices: stored.Choices, Method: stored.Method, Milliseconds: stored.Milliseconds,
		Reply: stored.Reply, Summary: stored.Summary, Extraction: stored.Extraction, Usage: map[string]wire.Usage{},
	}
	for i, h := range stored.Holds {
		turnTrace.Holds[i] = wire.Hold(h)
	}
	for step, u := range stored.Usage {
		turnTrace.Usage[step] = wire.Usage{Model: u.Model, In: u.In, Out: u.Out, Cached: u.Cached}
	}
	if stored.Transition >= 0 {
		turnTrace.Transition = &stored.Transition
	}
	return turnTrace, nil
}

const (
	stepOpen          = "open"
	stepEvaluation    = "evaluation"
	stepResponse      = "response"
	stepSummarization = "summarization"
	stepExtraction    = "extraction"
)

type stepUsage map[string]llm.Usage

func (u stepUsage) add(step string, cost llm.Usage) {
	if cost != (llm.Usage{}) {
		u[step] = u[step].Plus(cost)
	}
}

func (u stepUsage) totalTokens() wire.Tokens {
	var sum wire.Tokens
	for _, step := range u {
		sum.In += step.In
		sum.Out += step.Out
	}
	return sum
}

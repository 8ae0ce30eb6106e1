package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/parley-npc/parley/localserver/store"
)

// trace is why a message of the character is as it is, as it is kept with it for
// the persona's author.
type trace struct {
	Evaluation string      `json:"evaluation,omitempty"`
	Holds      []traceHold `json:"holds,omitempty"`
	Transition int         `json:"transition"` // index of the row that gave the score, -1 for none
	Reply      string      `json:"reply,omitempty"`
	Summary    string      `json:"summary,omitempty"`
	Usage      Costs       `json:"usage,omitempty"`
}

type traceHold struct {
	Transition int    `json:"transition"`
	Why        string `json:"why,omitempty"`
}

// Trace is why a session went as it did, oldest message first. Transitions are
// indexes in the machine of the version that the session plays.
type Trace struct {
	SessionID, PersonaID, MachineID string
	Messages                        []MessageTrace
}

// MessageTrace is why one message of the character is as it is.
type MessageTrace struct {
	MessageID string
	At        time.Time
	// Evaluation tells why the player's message was judged so, Holds which
	// transitions held; Transition is the one that counted, -1 for none.
	Evaluation string
	Holds      []Hold
	Transition int
	// Reply tells where the text comes from, Summary why the summary was not
	// brought up to date; both may be empty.
	Reply, Summary string
	Usage          Costs
}

// Hold is a transition that held, and why.
type Hold struct {
	Transition int
	Why        string
}

// Trace gives why a player's session on the machine named, or else the one opened
// last, went as it did. It is for the persona's owner, whoever played: r.UserID.
// It refuses NotFound, and Forbidden to everybody else.
func (s *Service) Trace(ctx context.Context, r Ref) (Trace, error) {
	n, rows, err := s.Store.Traces(ctx, r.who(), r.Machine)
	if errors.Is(err, store.ErrForbidden) {
		return Trace{}, &Error{Kind: Forbidden, Message: "only the persona's owner may see why its sessions went as they did", Cause: err}
	}
	if err != nil {
		return Trace{}, refused(err)
	}
	t := Trace{SessionID: n.ID, PersonaID: r.PersonaID, MachineID: n.MachineID, Messages: []MessageTrace{}}
	for i := range rows {
		if rows[i].Trace == "" {
			continue
		}
		m, err := messageTrace(&rows[i])
		if err != nil {
			return Trace{}, err
		}
		t.Messages = append(t.Messages, m)
	}
	return t, nil
}

func messageTrace(row *store.Message) (MessageTrace, error) {
	var kept trace
	if err := json.Unmarshal([]byte(row.Trace), &kept); err != nil {
		return MessageTrace{}, fmt.Errorf("trace of message %s: %w", row.ID, err)
	}
	m := MessageTrace{
		MessageID: row.ID, At: row.At, Evaluation: kept.Evaluation, Transition: kept.Transition,
		Reply: kept.Reply, Summary: kept.Summary, Usage: kept.Usage,
	}
	for _, h := range kept.Holds {
		m.Holds = append(m.Holds, Hold(h))
	}
	return m, nil
}

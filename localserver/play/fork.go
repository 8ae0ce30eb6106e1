package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
)

// ForkRequest is a request to Fork. An empty Machine selects the session that was opened last. At
// is the number of the player's messages that the fork keeps.
type ForkRequest struct {
	Ref
	At          int64
	Label       string
	Latest      bool // continue with the persona's latest version
	Idempotency Idempotency
}

// Branch is the result of Fork.
type Branch struct {
	wire.Branch
	// Replayed is set for the stored answer to an earlier call.
	Replayed bool `json:"-"`
}

// UnmarshalJSON decodes a stored branch.
func (b *Branch) UnmarshalJSON(data []byte) error {
	b.Replayed = true
	return json.Unmarshal(data, &b.Branch)
}

// Fork copies a player in the state after r.At messages. All machines keep the persona versions of
// that time. With r.Latest, the session moves to the latest version. Fork returns an *Error of kind
// NotFound, NoTurn, PastGone, AnotherPast, ManyBranches, Conflict or KeyReused.
func (s *Service) Fork(ctx context.Context, r ForkRequest) (Branch, error) {
	idempotent, err := r.idempotentCall("fork", r.Idempotency)
	if err != nil {
		return Branch{}, err
	}
	return answerOnce(ctx, s, idempotent, func() {}, func() (Branch, error) { return s.fork(ctx, &r, idempotent) })
}

func (s *Service) fork(ctx context.Context, r *ForkRequest, idempotent *store.IdempotentCall) (Branch, error) {
	past, err := s.Store.LoadPast(ctx, r.storePlayer(), r.Machine, r.At)
	if err != nil {
		return Branch{}, forkRefusal(err)
	}
	// The id must be hard to guess, because it is the only credential of an anonymous player.
	save := store.Fork{PlayerRef: r.storePlayer(), Past: past, NewUserSessionID: uuid.NewString(), Label: r.Label, At: s.currentTime()}
	b := Branch{Branch: wire.Branch{UserSessionID: save.NewUserSessionID, Label: r.Label, Parent: textOrNull(r.UserSessionID), ForkedAt: new(int(r.At))}}
	for i := range past.Sessions {
		n := &past.Sessions[i]
		if r.Latest && n.MachineID == past.MachineID {
			if err := s.moveToLatest(ctx, &past.Persona, n); err != nil {
				return Branch{}, err
			}
			save.Latest = n.Version
		}
		id := s.NewID()
		save.NewSessionIDs = append(save.NewSessionIDs, id)
		if n.MachineID != past.MachineID {
			continue
		}
		b.ForkedMachineKey = textOrNull(past.Persona.Machines.Keys[n.MachineID])
		b.SessionID, b.MachineID, b.MachineKey = id, n.MachineID, past.Persona.Machines.Keys[n.MachineID]
		b.Turn, b.CurrentState, b.Score, b.Outcome = int(n.Turn), n.Engine.State, n.Engine.Score, textOrNull(n.Engine.Outcome)
		b.LastMessageAt = wire.Time{Time: n.LastMessageAt}
		if !n.Engine.IsFinished() {
			b.RedirectCount = &n.Engine.Redirects
		}
	}
	if save.Idempotency, err = withAnswer(idempotent, b); err != nil {
		return Branch{}, err
	}
	stored, err := s.Store.SaveFork(ctx, save)
	if err != nil {
		return Branch{}, s.explainChange(ctx, r.Ref, forkRefusal(err))
	}
	return finalAnswer(b, stored, nil)
}

func forkRefusal(err error) error {
	if short, ok := errors.AsType[*store.NoTurnError](err); ok {
		return &Error{Kind: NoTurn, Message: fmt.Sprintf("the conversation has %d messages of the player: at must be from 0 to %d", short.Turns, short.Turns), Cause: err}
	}
	if gone, ok := errors.AsType[*store.PastGoneError](err); ok {
		return &Error{Kind: PastGone, Message: "it is not possible to return to this turn: " + gone.Why, Cause: err}
	}
	if errors.Is(err, store.ErrManyBranches) {
		message := fmt.Sprintf("the conversation has %d branches, or %d messages in them, which is the maximum: delete branches with DELETE progress", store.MaxBranches, store.MaxTreeMessages)
		return &Error{Kind: ManyBranches, Message: message, Cause: err}
	}
	return refusalOf(err)
}

func (s *Service) moveToLatest(ctx context.Context, persona *store.PersonaHead, n *store.PastSession) error {
	latest, err := s.Store.LoadVersion(ctx, persona.ID, persona.Version)
	if err != nil {
		return conflictIfGone(err)
	}
	key := persona.Machines.Keys[n.MachineID]
	talk, err := s.conversation(ctx, n.ID, key, n.Turn, n.Engine.Outcome)
	if err != nil {
		return err
	}
	version, err := playtest.NewVersion(latest.Doc, nil)
	if err != nil {
		return err
	}
	if !version.HasMachine(key) {
		return anotherPast("the latest version of the persona does not contain the machine %s", key)
	}
	track, err := version.Play(ctx, &talk)
	if err != nil {
		return err
	}
	if same := track.Same(&talk); same < len(talk.Turns) {
		return anotherPast("message %d has another effect in the latest version of the persona: fork at %d or earlier", same+1, same)
	}
	if track.Session.State != n.Engine.State {
		return anotherPast("in the latest version of the persona the machine starts in another state: start it again")
	}
	n.Version, n.Engine = persona.Version, track.Session
	return nil
}

func anotherPast(format string, args ...any) error {
	return &Error{Kind: AnotherPast, Message: fmt.Sprintf(format, args...)}
}

func (s *Service) conversation(
	ctx context.Context, sessionID, machine string, turns int64, outcome personas.Outcome,
) (playtest.Conversation, error) {
	rows, err := s.Store.FirstMessages(ctx, sessionID, turns)
	messages := make([]wire.HistoryMessage, len(rows))
	for i := range rows {
		messages[i] = toHistoryMessage(&rows[i])
	}
	return playtest.FromHistory("", machine, string(outcome), messages), err
}

func keptVerdict(rules *engine.Machine, state string, reply *store.Message) (engine.Verdict, error) {
	var why trace
	if err := json.Unmarshal([]byte(reply.Trace), &why); err != nil {
		return engine.None, err
	}
	switch {
	case why.Aside:
		return engine.Aside, nil
	case reply.FollowUp && !reply.Aside:
		return engine.FollowUp, nil
	}
	holding := make([]int, len(why.Holds))
	for i, h := range why.Holds {
		holding[i] = h.Transition
	}
	return rules.Choose(state, holding), nil
}

func (t *turn) repeatVerdict() (engine.Verdict, error) {
	var why trace
	if err := json.Unmarshal([]byte(t.repeated.Trace), &why); err != nil {
		return engine.None, err
	}
	verdict, err := keptVerdict(t.rules, t.input.State.Key, t.repeated)
	t.evaluation = llm.Evaluation{Aside: verdict == engine.Aside, FollowUp: verdict == engine.FollowUp, Method: why.Method, Why: why.Evaluation}
	for _, h := range why.Holds {
		t.evaluation.Matches = append(t.evaluation.Matches, llm.Match(h))
	}
	for _, c := range why.Choices {
		choice := llm.Choice{Decision: c.Decision, Transition: -1, Probability: c.Probability}
		if c.Transition != nil {
			choice.Transition = *c.Transition
		}
		t.evaluation.Choices = append(t.evaluation.Choices, choice)
	}
	return verdict, err
}

// Branches lists the branches in the player's tree, oldest first. The error kind is NotFound.
func (s *Service) Branches(ctx context.Context, r Ref) (wire.Branches, error) {
	head, list, err := s.Store.Branches(ctx, r.storePlayer())
	if err != nil {
		return wire.Branches{}, refusalOf(err)
	}
	tree := wire.Branches{Branches: make([]wire.Branch, len(list))}
	for i := range list {
		b := &list[i]
		tree.Branches[i] = wire.Branch{
			UserSessionID: b.UserSessionID, Label: b.Label, Parent: textOrNull(b.Parent),
			SessionID: b.SessionID, MachineID: b.MachineID, MachineKey: head.Machines.Keys[b.MachineID],
			Turn: int(b.Turn), CurrentState: b.State, Score: b.Score, Outcome: textOrNull(b.Outcome), LastMessageAt: wire.Time{Time: b.LastMessageAt},
		}
		if b.Outcome == "" {
			tree.Branches[i].RedirectCount = &b.Redirects
		}
		if b.ForkedMachineID != "" {
			tree.Branches[i].ForkedAt = new(int(b.ForkedTurn))
			tree.Branches[i].ForkedMachineKey = textOrNull(head.Machines.Keys[b.ForkedMachineID])
		}
	}
	return tree, nil
}

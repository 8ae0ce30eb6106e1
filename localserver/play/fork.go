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
// NotFound, Forbidden, NoTurn, PastGone, AnotherPast, ManyBranches, Conflict or KeyReused.
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
	save := store.Fork{
		PlayerRef: r.storePlayer(), Past: past, NewUserSessionID: uuid.NewString(), Label: r.Label, At: s.currentTime(),
	}
	branch := Branch{Branch: wire.Branch{
		UserSessionID: save.NewUserSessionID, Label: r.Label, Parent: textOrNull(r.UserSessionID),
		ForkedAt: new(int(r.At)),
	}}
	for i := range past.Sessions {
		session := &past.Sessions[i]
		if r.Latest && session.MachineID == past.MachineID {
			if err := s.moveToLatest(ctx, &past.Persona, session); err != nil {
				return Branch{}, err
			}
			save.Latest = session.Version
		}
		id := s.NewID()
		save.NewSessionIDs = append(save.NewSessionIDs, id)
		if session.MachineID != past.MachineID {
			continue
		}
		key := past.Persona.Machines.Keys[session.MachineID]
		branch.ForkedMachineKey = textOrNull(key)
		branch.SessionID, branch.MachineID, branch.MachineKey = id, session.MachineID, key
		branch.Turn, branch.CurrentState = int(session.Turn), session.Engine.State
		branch.Score, branch.Outcome = session.Engine.Score, textOrNull(session.Engine.Outcome)
		branch.LastMessageAt = wire.Time{Time: session.LastMessageAt}
		if !session.Engine.IsFinished() {
			branch.RedirectCount = &session.Engine.Redirects
		}
	}
	if save.Idempotency, err = withAnswer(idempotent, branch); err != nil {
		return Branch{}, err
	}
	stored, err := s.Store.SaveFork(ctx, save)
	if err != nil {
		return Branch{}, s.explainChange(ctx, r.Ref, forkRefusal(err))
	}
	return finalAnswer(branch, stored, nil)
}

func forkRefusal(err error) error {
	if short, ok := errors.AsType[*store.NoTurnError](err); ok {
		message := fmt.Sprintf(
			"the conversation has %d messages of the player: at must be from 0 to %d", short.Turns, short.Turns,
		)
		return &Error{Kind: NoTurn, Message: message, Cause: err}
	}
	if pastGone, ok := errors.AsType[*store.PastGoneError](err); ok {
		return &Error{Kind: PastGone, Message: "it is not possible to return to this turn: " + pastGone.Why, Cause: err}
	}
	if errors.Is(err, store.ErrManyBranches) {
		message := fmt.Sprintf(
			"the conversation has %d branches, or %d messages in them, which is the maximum: "+
				"delete branches with DELETE progress", store.MaxBranches, store.MaxTreeMessages,
		)
		return &Error{Kind: ManyBranches, Message: message, Cause: err}
	}
	return callerError(err)
}

func (s *Service) moveToLatest(ctx context.Context, persona *store.PersonaHead, session *store.PastSession) error {
	latest, err := s.Store.LoadVersion(ctx, persona.ID, persona.Version)
	if err != nil {
		return conflictIfGone(err)
	}
	key := persona.Machines.Keys[session.MachineID]
	played, err := s.conversation(ctx, session.ID, key, session.Turn, session.Engine.Outcome)
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
	track, err := version.Play(ctx, &played)
	if err != nil {
		return err
	}
	if same := track.Same(&played); same < len(played.Turns) {
		return anotherPast(
			"message %d has another effect in the latest version of the persona: fork at %d or earlier", same+1, same,
		)
	}
	if track.Session.State != session.Engine.State {
		return anotherPast("in the latest version of the persona the machine starts in another state: start it again")
	}
	session.Version, session.Engine = persona.Version, track.Session
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

func storedVerdict(rules *engine.Machine, state string, reply *store.Message) (engine.Verdict, error) {
	var explanation trace
	if err := json.Unmarshal([]byte(reply.Trace), &explanation); err != nil {
		return engine.None, err
	}
	switch {
	case explanation.Aside:
		return engine.Aside, nil
	case reply.FollowUp && !reply.Aside:
		return engine.FollowUp, nil
	}
	holding := make([]int, len(explanation.Holds))
	for i, h := range explanation.Holds {
		holding[i] = h.Transition
	}
	return rules.Choose(state, holding), nil
}

func (t *turn) repeatVerdict() (engine.Verdict, error) {
	var explanation trace
	if err := json.Unmarshal([]byte(t.repeated.Trace), &explanation); err != nil {
		return engine.None, err
	}
	verdict, err := storedVerdict(t.rules, t.input.State.Key, t.repeated)
	t.evaluation = llm.Evaluation{
		Aside: verdict == engine.Aside, FollowUp: verdict == engine.FollowUp, Method: explanation.Method,
		Why: explanation.Evaluation,
	}
	for _, h := range explanation.Holds {
		t.evaluation.Matches = append(t.evaluation.Matches, llm.Match(h))
	}
	for _, c := range explanation.Choices {
		choice := llm.Choice{Decision: c.Decision, Transition: -1, Probability: c.Probability}
		if c.Transition != nil {
			choice.Transition = *c.Transition
		}
		t.evaluation.Choices = append(t.evaluation.Choices, choice)
	}
	return verdict, err
}

// Branches lists the branches in the player's tree, oldest first. The error kind is NotFound or
// Forbidden.
func (s *Service) Branches(ctx context.Context, ref Ref) (wire.Branches, error) {
	head, list, err := s.Store.Branches(ctx, ref.storePlayer())
	if err != nil {
		return wire.Branches{}, callerError(err)
	}
	tree := wire.Branches{Branches: make([]wire.Branch, len(list))}
	for i := range list {
		branch := &list[i]
		tree.Branches[i] = wire.Branch{
			UserSessionID: branch.UserSessionID, Label: branch.Label, Parent: textOrNull(branch.Parent),
			SessionID: branch.SessionID, MachineID: branch.MachineID, MachineKey: head.Machines.Keys[branch.MachineID],
			Turn: int(branch.Turn), CurrentState: branch.State, Score: branch.Score,
			Outcome:       textOrNull(branch.Outcome),
			LastMessageAt: wire.Time{Time: branch.LastMessageAt},
		}
		if branch.Outcome == "" {
			tree.Branches[i].RedirectCount = &branch.Redirects
		}
		if branch.ForkedMachineID != "" {
			tree.Branches[i].ForkedAt = new(int(branch.ForkedTurn))
			tree.Branches[i].ForkedMachineKey = textOrNull(head.Machines.Keys[branch.ForkedMachineID])
		}
	}
	return tree, nil
}

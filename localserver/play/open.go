package play

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// OpenRequest is a request to Open. A nil Model means the model of the service. The callbacks work
// like those of TurnRequest.
type OpenRequest struct {
	Ref
	PlayerName, PlayerGender string
	Idempotency              Idempotency
	Model                    llm.Model
	Wait                     func()
	Begin                    func(Opening) error
	Emit                     func(delta string) error

	begun bool
}

const maxOpenings = 3

// Open starts a session on r.Machine, or on the primary machine, and returns the opening line. The
// new session replaces the player's earlier session on the machine, but keeps completions. A
// signed-in caller becomes the owner of the player. Open returns an *Error of kind NotFound,
// Forbidden, Locked, Conflict, KeyReused, ModelDown or ModelLate.
func (s *Service) Open(ctx context.Context, r OpenRequest) (Opening, error) {
	if r.Wait == nil {
		r.Wait = func() {}
	}
	if r.Begin == nil {
		r.Begin = func(Opening) error { return nil }
	}
	idempotent, err := r.idempotentCall("init-session", r.Idempotency)
	if err != nil {
		return Opening{}, err
	}
	opening, err := answerOnce(ctx, s, idempotent, r.Wait, func() (Opening, error) { return s.openInVersion(ctx, &r, idempotent) })
	if err != nil || r.begun {
		return opening, err
	}
	return opening, r.emitPiece(opening, opening.Message)
}

func (s *Service) openInVersion(ctx context.Context, r *OpenRequest, idempotent *store.IdempotentCall) (opening Opening, err error) {
	for range maxOpenings {
		opening, err = s.openSession(ctx, r, idempotent)
		switch {
		case !errors.Is(err, store.ErrChanged):
			return opening, err
		case r.begun:
			return opening, &Error{Kind: Conflict, Message: savedDuringWords, Cause: err}
		}
	}
	return opening, &Error{Kind: Conflict, Message: savedMeanwhile, Cause: err}
}

func (r *OpenRequest) emitPiece(opening Opening, delta string) error {
	if r.Emit == nil {
		return nil
	}
	if !r.begun {
		r.begun, opening.Message = true, ""
		if err := r.Begin(opening); err != nil {
			return err
		}
	}
	return r.Emit(delta)
}

func (s *Service) openSession(ctx context.Context, r *OpenRequest, idempotent *store.IdempotentCall) (Opening, error) {
	standing, v, err := s.loadStanding(ctx, r.Ref, s.Store.LoadProgress)
	if err != nil {
		return Opening{}, err
	}
	p, err := chooseMachine(v, &standing, r.Machine)
	if err != nil {
		return Opening{}, err
	}
	if err := ctx.Err(); err != nil {
		return Opening{}, err
	}
	n := store.Session{
		ID: s.NewID(), MachineID: standing.Persona.Machines.IDs[p.machine.Key], Version: standing.Persona.Version,
		Engine: p.rules.Start(), PlayerName: r.PlayerName, PlayerGender: r.PlayerGender, StartedAt: s.currentTime(),
	}
	r.Wait()
	opening := Opening{Opening: wire.Opening{
		SessionID: n.ID, UserSessionID: r.UserSessionID, PersonaName: v.Doc.Name, PersonaDescription: &v.Doc.Description,
		PlayerName: r.PlayerName, PlayerGender: r.PlayerGender, MachineID: n.MachineID,
	}}
	line, tokens, err := s.speakOpening(ctx, r, opening, p.newInput(&n, standing.Vars), &n)
	if err != nil {
		return Opening{}, err
	}
	opening.Message, opening.Tokens = line.Content, tokens
	if idempotent, err = withAnswer(idempotent, opening); err != nil {
		return Opening{}, err
	}
	stored, err := s.Store.SaveOpening(ctx, store.Opening{PlayerRef: r.storePlayer(), Session: n, Line: line, Idempotency: idempotent})
	if err == nil {
		s.prepareSession(ctx, s.chooseModel(r.Model), p, &n, standing.Vars, nil, line)
	}
	return finalAnswer(opening, stored, err)
}

func chooseMachine(v *store.Version, standing *store.PlayerProgress, machine string) (machineVersion, error) {
	key := cmp.Or(machine, v.Rules.Primary())
	if id, ok := standing.Persona.Machines.FindID(machine); ok {
		key = standing.Persona.Machines.Keys[id]
	}
	if v.Machines[key] == nil {
		return machineVersion{}, refusalOf(store.ErrNoMachine)
	}
	if !v.Rules.IsAvailable(key, unlockedMachines(v, standing)) {
		return machineVersion{}, &Error{Kind: Locked, Message: "the machine " + key + " is not unlocked yet"}
	}
	return machinePart(v, key)
}

func (s *Service) speakOpening(ctx context.Context, r *OpenRequest, opening Opening, input llm.Input, n *store.Session) (store.Message, wire.Tokens, error) {
	limited, cancel := s.withTurnLimit(ctx)
	defer cancel()
	var gone error
	var shown strings.Builder
	emit := func(delta string) error {
		shown.WriteString(delta)
		gone = r.emitPiece(opening, delta)
		return gone
	}
	speech, err := askModel(s, "open", func() (llm.GeneratedText, error) {
		return s.chooseModel(r.Model).Open(limited, input, emit)
	})
	switch {
	case gone != nil:
		return store.Message{}, wire.Tokens{}, gone
	case err != nil:
		return store.Message{}, wire.Tokens{}, modelRefusal(limited, r.Model, err)
	}
	costs := stepUsage{}
	costs.addStep(stepOpen, speech.Usage)
	why, err := json.Marshal(trace{Transition: -1, Reply: speech.Why, Usage: costs})
	return store.Message{
		ID: s.NewID(), Role: roleCharacter, Content: keptText(speech, shown.String()),
		State: n.Engine.State, Score: n.Engine.Score, At: s.currentTime(), Trace: string(why),
	}, costs.totalTokens(), err
}

// Reset clears the history of a session, or of all sessions if r.Machine is "". Sessions keep their
// ids, versions, opening lines and completions. Reset returns an *Error of kind NotFound, Forbidden
// or Conflict.
func (s *Service) Reset(ctx context.Context, r Ref) (wire.ResetDone, error) {
	st, err := s.Store.LoadProgress(ctx, r.storePlayer())
	if err != nil {
		return wire.ResetDone{}, refusalOf(err)
	}
	sessions, err := namedSessions(&st, r.Machine)
	if err != nil {
		return wire.ResetDone{}, refusalOf(err)
	}
	restarts := make([]store.Restart, len(sessions))
	for i := range sessions {
		p, err := s.partOf(ctx, &st.Persona, &sessions[i])
		if err != nil {
			return wire.ResetDone{}, s.explainChange(ctx, r, err)
		}
		restarts[i] = store.Restart{SessionID: sessions[i].ID, Engine: p.rules.Start()}
	}
	lines, err := s.Store.RestartSessions(ctx, restarts, s.currentTime())
	if err != nil {
		return wire.ResetDone{}, s.explainChange(ctx, r, refusalOf(err))
	}
	return wire.ResetDone{SessionID: restarts[0].SessionID, Message: lines[0]}, nil
}

func namedSessions(st *store.PlayerProgress, machine string) ([]store.Session, error) {
	id, ok := st.Persona.Machines.FindID(machine)
	switch {
	case machine != "" && !ok:
		return nil, store.ErrNoMachine
	case len(st.Sessions) == 0:
		return nil, store.ErrNoSession
	case machine == "":
		return st.Sessions, nil
	}
	n := sessionOn(st, id)
	if n == nil {
		return nil, store.ErrNoSession
	}
	return []store.Session{*n}, nil
}

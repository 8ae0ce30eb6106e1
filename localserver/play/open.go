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
// new session replaces the player's earlier session on the machine. A signed-in caller becomes the
// owner of the player. Open returns an *Error of kind NotFound, Forbidden, Locked, Conflict,
// KeyReused, TooLong, ModelDown or ModelLate.
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
	opening, err := answerOnce(ctx, s, idempotent, r.Wait, func() (Opening, error) {
		return s.openInVersion(ctx, &r, idempotent)
	})
	if err != nil || r.begun {
		return opening, err
	}
	return opening, r.emitPiece(opening, opening.Message)
}

func (s *Service) openInVersion(
	ctx context.Context, r *OpenRequest, idempotent *store.IdempotentCall,
) (opening Opening, err error) {
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
	progress, version, err := s.loadProgressAndVersion(ctx, r.Ref, s.Store.LoadProgress)
	if err != nil {
		return Opening{}, err
	}
	machine, err := chooseMachine(version, &progress, r.Machine)
	if err != nil {
		return Opening{}, err
	}
	if err := ctx.Err(); err != nil {
		return Opening{}, err
	}
	session := store.Session{
		ID: s.NewID(), MachineID: progress.Persona.Machines.IDs[machine.machine.Key], Version: progress.Persona.Version,
		Engine: machine.rules.Start(), PlayerName: r.PlayerName, PlayerGender: r.PlayerGender,
		StartedAt: s.currentTime(),
	}
	r.Wait()
	opening := Opening{Opening: wire.Opening{
		SessionID: session.ID, UserSessionID: r.UserSessionID, MachineID: session.MachineID,
		PersonaName: version.Doc.Name, PersonaDescription: &version.Doc.Description,
		PlayerName: r.PlayerName, PlayerGender: r.PlayerGender,
	}}
	input := machine.newInput(&session, progress.Vars)
	line, tokens, err := s.speakOpening(ctx, r, opening, input, &session)
	if err != nil {
		return Opening{}, err
	}
	opening.Message, opening.Tokens = line.Content, tokens
	if idempotent, err = withAnswer(idempotent, opening); err != nil {
		return Opening{}, err
	}
	stored, err := s.Store.SaveOpening(ctx, store.Opening{
		PlayerRef: r.storePlayer(), Session: session, Line: line, Idempotency: idempotent,
	})
	if err == nil {
		s.prepareSession(ctx, s.chooseModel(r.Model), machine, &session, progress.Vars, nil, line)
	}
	return finalAnswer(opening, stored, err)
}

func chooseMachine(version *store.Version, progress *store.PlayerProgress, machine string) (machineVersion, error) {
	key := cmp.Or(machine, version.Rules.Primary())
	if id, ok := progress.Persona.Machines.FindID(machine); ok {
		key = progress.Persona.Machines.Keys[id]
	}
	if version.Machines[key] == nil {
		return machineVersion{}, callerError(store.ErrNoMachine)
	}
	if !version.Rules.IsAvailable(key, unlockedMachines(version, progress)) {
		return machineVersion{}, &Error{Kind: Locked, Message: "the machine " + key + " is not unlocked yet"}
	}
	return machineInVersion(version, key)
}

func (s *Service) speakOpening(
	ctx context.Context, r *OpenRequest, opening Opening, input llm.Input, session *store.Session,
) (store.Message, wire.Tokens, error) {
	limited, cancel := s.withTurnLimit(ctx)
	defer cancel()
	var emitErr error
	var emitted strings.Builder
	emit := func(delta string) error {
		emitted.WriteString(delta)
		emitErr = r.emitPiece(opening, delta)
		return emitErr
	}
	speech, err := askModel(s, "open", func() (llm.GeneratedText, error) {
		return s.chooseModel(r.Model).Open(limited, input, emit)
	})
	switch {
	case emitErr != nil:
		return store.Message{}, wire.Tokens{}, emitErr
	case err != nil:
		return store.Message{}, wire.Tokens{}, modelRefusal(limited, r.Model, err)
	}
	costs := stepUsage{}
	costs.add(stepOpen, speech.Usage)
	encoded, err := json.Marshal(trace{Transition: -1, Reply: speech.Why, Usage: costs})
	return store.Message{
		ID: s.NewID(), Role: roleCharacter, Content: finalText(speech, emitted.String()),
		State: session.Engine.State, Score: session.Engine.Score, At: s.currentTime(), Trace: string(encoded),
	}, costs.totalTokens(), err
}

// Reset clears the history of a session, or of all sessions if ref.Machine is "". Sessions keep
// their ids, versions and opening lines, and completions remain. Reset returns an *Error of kind
// NotFound, Forbidden or Conflict.
func (s *Service) Reset(ctx context.Context, ref Ref) (wire.ResetDone, error) {
	progress, err := s.Store.LoadProgress(ctx, ref.storePlayer())
	if err != nil {
		return wire.ResetDone{}, callerError(err)
	}
	sessions, err := namedSessions(&progress, ref.Machine)
	if err != nil {
		return wire.ResetDone{}, callerError(err)
	}
	restarts := make([]store.Restart, len(sessions))
	for i := range sessions {
		machine, err := s.sessionMachine(ctx, &progress.Persona, &sessions[i])
		if err != nil {
			return wire.ResetDone{}, s.explainChange(ctx, ref, err)
		}
		restarts[i] = store.Restart{SessionID: sessions[i].ID, Engine: machine.rules.Start()}
	}
	lines, err := s.Store.RestartSessions(ctx, restarts, s.currentTime())
	if err != nil {
		return wire.ResetDone{}, s.explainChange(ctx, ref, callerError(err))
	}
	return wire.ResetDone{SessionID: restarts[0].SessionID, Message: lines[0]}, nil
}

func namedSessions(progress *store.PlayerProgress, machine string) ([]store.Session, error) {
	id, ok := progress.Persona.Machines.FindID(machine)
	switch {
	case machine != "" && !ok:
		return nil, store.ErrNoMachine
	case len(progress.Sessions) == 0:
		return nil, store.ErrNoSession
	case machine == "":
		return progress.Sessions, nil
	}
	session := sessionOn(progress, id)
	if session == nil {
		return nil, store.ErrNoSession
	}
	return []store.Session{*session}, nil
}

package play

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// OpenRequest is what Open is asked. Model is the caller's, nil for the service's.
type OpenRequest struct {
	Ref
	PlayerName, PlayerGender string
	Idempotency              Idempotency
	Model                    llm.Model
}

// maxOpenings is how often Open begins again when the persona was saved while
// the model thought (docs/decisions/play.md, saved-during-init).
const maxOpenings = 3

// Open starts a session in the persona's current version, on the machine named or
// else the primary one, and gives the opening line. A session that the player
// has with the machine is replaced with its history; what was completed stays.
// With a token the player becomes that user's. It refuses NotFound, Forbidden,
// Locked, KeyReused, ModelDown and ModelLate; Conflict when the persona is saved
// again and again meanwhile.
func (s *Service) Open(ctx context.Context, r OpenRequest) (Opening, error) {
	idempotent, err := r.idempotentCall("init-session", r.Idempotency)
	if err != nil {
		return Opening{}, err
	}
	return answerOnce(ctx, s, idempotent, func() {}, func() (opening Opening, err error) {
		for range maxOpenings {
			opening, err = s.openSession(ctx, r, idempotent)
			if !errors.Is(err, store.ErrChanged) {
				return opening, err
			}
		}
		return opening, &Error{Kind: Conflict, Message: savedMeanwhile, Cause: err}
	})
}

func (s *Service) openSession(ctx context.Context, r OpenRequest, idempotent *store.IdempotentCall) (Opening, error) {
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
	n := s.newSession(p, &standing, r)
	line, tokens, err := s.openingLine(ctx, r.Model, p.newInput(&n, standing.Vars), &n)
	if err != nil {
		return Opening{}, err
	}
	opening := describeOpening(p, r, &n, line)
	opening.Tokens = tokens
	again := opening
	again.Replayed = true
	if idempotent, err = withAnswer(idempotent, again); err != nil {
		return Opening{}, err
	}
	stored, err := s.Store.SaveOpening(ctx, store.Opening{PlayerRef: r.storePlayer(), Session: n, Line: line, Idempotency: idempotent})
	return finalAnswer(opening, stored, err)
}

// chooseMachine finds the machine to open, by id or key, and tells whether the player
// may open it.
func chooseMachine(v *loadedVersion, standing *store.PlayerProgress, machine string) (machineVersion, error) {
	key := cmp.Or(machine, v.rules.Primary())
	if id, ok := standing.Persona.Machines.FindID(machine); ok {
		key = standing.Persona.Machines.Keys[id]
	}
	if v.machines[key] == nil {
		return machineVersion{}, refusalOf(store.ErrNoMachine)
	}
	if !v.rules.IsAvailable(key, unlockedMachines(v, standing)) {
		return machineVersion{}, &Error{Kind: Locked, Message: "the machine " + key + " is not unlocked yet"}
	}
	return v.machinePart(key)
}

func (s *Service) newSession(p machineVersion, standing *store.PlayerProgress, r OpenRequest) store.Session {
	return store.Session{
		ID: s.NewID(), MachineID: standing.Persona.Machines.IDs[p.machine.Key], Version: standing.Persona.Version,
		Engine: p.rules.Start(), PlayerName: r.PlayerName, PlayerGender: r.PlayerGender, StartedAt: s.currentTime(),
	}
}

// openingLine asks the caller's model, or the service's, for a session's
// first message.
func (s *Service) openingLine(ctx context.Context, callersModel llm.Model, input llm.Input, n *store.Session) (store.Message, wire.Tokens, error) {
	limited, cancel := s.withTurnLimit(ctx)
	defer cancel()
	speech, err := s.chooseModel(callersModel).Open(limited, input)
	if err != nil {
		return store.Message{}, wire.Tokens{}, modelRefusal(limited, callersModel, err)
	}
	costs := stepUsage{}
	costs.addStep(stepOpen, speech.Usage)
	why, err := json.Marshal(trace{Transition: -1, Reply: speech.Why, Usage: costs})
	return store.Message{
		ID: s.NewID(), Role: roleCharacter, Content: speech.Text,
		State: n.Engine.State, Score: n.Engine.Score, At: s.currentTime(), Trace: string(why),
	}, costs.totalTokens(), err
}

func describeOpening(p machineVersion, r OpenRequest, n *store.Session, line store.Message) Opening {
	return Opening{Opening: wire.Opening{
		Message: line.Content, SessionID: n.ID, UserSessionID: r.UserSessionID,
		PersonaName: p.version.doc.Name, PersonaDescription: &p.version.doc.Description,
		PlayerName: r.PlayerName, PlayerGender: r.PlayerGender, MachineID: n.MachineID,
	}}
}

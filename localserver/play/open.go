package play

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
)

// OpenRequest is what Open is asked. Model is nil for the service's own.
type OpenRequest struct {
	Ref
	PlayerName, PlayerGender string
	Once                     Once
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
	once, err := r.once("init-session", r.Once)
	if err != nil {
		return Opening{}, err
	}
	return atMostOnce(ctx, s.Store, once, func() (opening Opening, err error) {
		for range maxOpenings {
			opening, err = s.open(ctx, r, once)
			if !errors.Is(err, store.ErrChanged) {
				break
			}
		}
		return opening, err
	})
}

func (s *Service) open(ctx context.Context, r OpenRequest, once *store.Once) (Opening, error) {
	stand, sc, err := s.standing(ctx, r.Ref, s.Store.Standing)
	if err != nil {
		return Opening{}, err
	}
	p, err := choose(sc, &stand, r.Machine)
	if err != nil {
		return Opening{}, err
	}
	n := s.newSession(p, &stand, r)
	line, tokens, err := s.openingLine(ctx, r.Model, p.scene(&n, stand.Vars, 0), &n)
	if err != nil {
		return Opening{}, err
	}
	opening := describe(p, r, &n, line)
	opening.Tokens = tokens
	again := opening
	again.Replayed = true
	if once, err = answering(once, again); err != nil {
		return Opening{}, err
	}
	stored, err := s.Store.SaveOpening(ctx, store.Opening{Who: r.who(), Session: n, Line: line, Once: once})
	return settled(opening, stored, err)
}

// choose finds the machine to open, by id or key, and tells whether the player
// may open it.
func choose(sc *script, stand *store.Standing, machine string) (part, error) {
	key := cmp.Or(machine, sc.rules.Primary())
	if known, ok := stand.Persona.Machines.Keys[machine]; ok {
		key = known
	}
	if sc.machines[key] == nil {
		return part{}, refused(store.ErrNoMachine)
	}
	if !sc.rules.IsAvailable(key, unlocked(sc, stand)) {
		return part{}, &Error{Kind: Locked, Message: "the machine " + key + " is not unlocked yet"}
	}
	return sc.part(key)
}

func (s *Service) newSession(p part, stand *store.Standing, r OpenRequest) store.Session {
	return store.Session{
		ID: s.NewID(), MachineID: stand.Persona.Machines.IDs[p.machine.Key], Version: stand.Persona.Version,
		Engine: p.rules.Start(), PlayerName: r.PlayerName, PlayerGender: r.PlayerGender, StartedAt: s.now(),
	}
}

// openingLine asks the request's own model, or the service's, for a session's
// first message.
func (s *Service) openingLine(ctx context.Context, own llm.Model, scene llm.Scene, n *store.Session) (store.Message, Tokens, error) {
	limited, cancel := s.limited(ctx)
	defer cancel()
	speech, err := s.model(own).Open(limited, scene)
	if err != nil {
		return store.Message{}, Tokens{}, modelFailed(limited, own, err)
	}
	costs := Costs{}
	costs.add(StepOpen, speech.Usage)
	why, err := json.Marshal(trace{Transition: -1, Reply: speech.Why, Usage: costs})
	return store.Message{
		ID: s.NewID(), Role: roleCharacter, Content: speech.Text,
		State: n.Engine.State, Score: n.Engine.Score, At: s.now(), Trace: string(why),
	}, costs.total(), err
}

func describe(p part, r OpenRequest, n *store.Session, line store.Message) Opening {
	return Opening{
		Message: line.Content, SessionID: n.ID, UserSessionID: r.UserSessionID,
		PersonaName: p.script.doc.Name, PersonaDescription: p.script.doc.Description,
		PlayerName: r.PlayerName, PlayerGender: r.PlayerGender, MachineID: n.MachineID,
	}
}

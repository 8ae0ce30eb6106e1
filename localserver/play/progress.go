package play

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/wire"
)

const playedTwice = "your account already has progress with persona %s under this session id: reset that progress, then migrate again; nothing was migrated"

type standingQuery func(context.Context, store.PlayerRef) (store.PlayerProgress, error)

func (s *Service) loadStanding(ctx context.Context, r Ref, ask standingQuery) (store.PlayerProgress, *store.Version, error) {
	st, err := ask(ctx, r.storePlayer())
	if err != nil {
		return store.PlayerProgress{}, nil, refusalOf(err)
	}
	v, err := s.Store.LoadVersion(ctx, st.Persona.ID, st.Persona.Version)
	return st, v, conflictIfGone(err)
}

// conflictIfGone is for a version that existed a moment before.
func conflictIfGone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return refusalOf(fmt.Errorf("%w: %w", store.ErrChanged, err))
	}
	return err
}

// A link may be newer than a completion, so the links apply to all completions again.
func unlockedMachines(v *store.Version, st *store.PlayerProgress) []string {
	var keys []string
	for _, id := range st.Unlocked {
		keys = append(keys, st.Persona.Machines.Keys[id])
	}
	for _, c := range st.Completions {
		keys = append(keys, v.Rules.Complete(keys, st.Persona.Machines.Keys[c.MachineID], c.Outcome, c.Score)...)
	}
	return keys
}

// Available lists the machines that the player can start, in document order. Without a token,
// UserSessionID may also select the only user with that id. An unknown player is valid. The error
// kind is NotFound.
func (s *Service) Available(ctx context.Context, r Ref) ([]wire.AvailableMachine, error) {
	st, v, err := s.loadStanding(ctx, r, s.Store.LoadProgressWithRoute)
	if err != nil {
		return nil, err
	}
	return availableMachines(v, &st), nil
}

func availableMachines(v *store.Version, st *store.PlayerProgress) []wire.AvailableMachine {
	list := []wire.AvailableMachine{}
	for _, key := range v.Rules.Available(unlockedMachines(v, st)) {
		m := v.Machines[key]
		a := wire.AvailableMachine{
			MachineID: st.Persona.Machines.IDs[key], MachineKey: key, Name: m.Title(), Description: m.Description,
			IsLinked: v.Rules.IsLinked(key),
		}
		if n := sessionOn(st, a.MachineID); n != nil {
			a.HasSession, a.SessionOutcome = true, textOrNull(n.Engine.Outcome)
		}
		list = append(list, a)
	}
	return list
}

func sessionOn(st *store.PlayerProgress, machineID string) *store.Session {
	for i := range st.Sessions {
		if st.Sessions[i].MachineID == machineID {
			return &st.Sessions[i]
		}
	}
	return nil
}

// Progress returns the player's state (persona-file section 3). The error kind is NotFound.
func (s *Service) Progress(ctx context.Context, r Ref) (wire.Progress, error) {
	st, v, err := s.loadStanding(ctx, r, s.Store.LoadProgressWithRoute)
	if err != nil {
		return wire.Progress{}, err
	}
	p := wire.Progress{
		PersonaID: st.Persona.ID, AvailableMachines: availableMachines(v, &st), CompletedMachines: make([]wire.CompletedMachine, len(st.Completions)),
		RoutePath: make([]wire.RouteStep, len(st.Route)), CrossMachineVars: st.Vars, HasLinks: v.Rules.HasLinks(),
	}
	if p.CrossMachineVars == nil {
		p.CrossMachineVars = map[string]string{}
	}
	sessions := make([]engine.Session, len(st.Sessions))
	for i := range st.Sessions {
		sessions[i] = st.Sessions[i].Engine
	}
	p.RelationshipLevel = engine.Relationship(sessions)
	if current := slices.IndexFunc(sessions, func(n engine.Session) bool { return !n.IsFinished() }); current >= 0 {
		p.CurrentMachineID = &st.Sessions[current].MachineID // the unfinished session that was opened last
	}
	scores := make([]int, len(st.Completions))
	for i, c := range st.Completions {
		key := st.Persona.Machines.Keys[c.MachineID]
		p.CompletedMachines[i] = wire.CompletedMachine{
			MachineID: c.MachineID, MachineKey: key, Name: machineTitle(v, key),
			Outcome: string(c.Outcome), Score: c.Score, CompletedAt: wire.Time{Time: c.At},
		}
		scores[i] = c.Score
	}
	p.TotalScore = engine.TotalScore(scores)
	for i, e := range st.Route {
		key := st.Persona.Machines.Keys[e.MachineID]
		p.RoutePath[i] = wire.RouteStep{MachineID: e.MachineID, MachineKey: key, Name: machineTitle(v, key), EnteredAt: wire.Time{Time: e.At}}
	}
	return p, nil
}

// ResetProgress deletes the player's data with the persona. An unknown player is valid. The error
// kind is NotFound.
func (s *Service) ResetProgress(ctx context.Context, r Ref) (wire.ProgressReset, error) {
	deleted, err := s.Store.ResetProgress(ctx, r.storePlayer())
	return wire.ProgressReset{PersonaID: r.PersonaID, UserSessionID: r.UserSessionID, DeletedSessions: deleted}, refusalOf(err)
}

// Migrate assigns all anonymous progress under a user session id to a user. The result also counts
// sessions that the user already owns. Without a session, the error kind is NotFound. If the user
// already has progress with one of the personas, Migrate changes nothing and the error kind is
// Conflict.
func (s *Service) Migrate(ctx context.Context, userID, oldSessionID string) (wire.Migrated, error) {
	sessions, personaIDs, err := s.Store.MigratePlayers(ctx, userID, oldSessionID)
	if errors.Is(err, store.ErrNotFound) {
		return wire.Migrated{}, &Error{Kind: NotFound, Message: "nothing was played under that session id", Cause: err}
	}
	if double, ok := errors.AsType[*store.DoublePlayerError](err); ok {
		return wire.Migrated{}, &Error{Kind: Conflict, Message: fmt.Sprintf(playedTwice, double.PersonaID), Cause: err}
	}
	return wire.Migrated{
		MigratedSessions: sessions, Personas: append([]string{}, personaIDs...), UserSessionID: oldSessionID,
	}, refusalOf(err)
}

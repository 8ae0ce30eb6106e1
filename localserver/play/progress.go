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

const playedTwice = "your account already has progress with persona %s under this session id: " +
	"reset that progress, then migrate again; nothing was migrated"

type progressQuery func(context.Context, store.PlayerRef) (store.PlayerProgress, error)

func (s *Service) loadProgressAndVersion(
	ctx context.Context, ref Ref, ask progressQuery,
) (store.PlayerProgress, *store.Version, error) {
	progress, err := ask(ctx, ref.storePlayer())
	if err != nil {
		return store.PlayerProgress{}, nil, callerError(err)
	}
	version, err := s.Store.LoadVersion(ctx, progress.Persona.ID, progress.Persona.Version)
	return progress, version, conflictIfGone(err)
}

// The version existed a moment before, so another call must have deleted it.
func conflictIfGone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return callerError(fmt.Errorf("%w: %w", store.ErrChanged, err))
	}
	return err
}

// A link may be newer than a completion, so the links apply to all completions again.
func unlockedMachines(version *store.Version, progress *store.PlayerProgress) []string {
	var keys []string
	for _, id := range progress.Unlocked {
		keys = append(keys, progress.Persona.Machines.Keys[id])
	}
	for _, c := range progress.Completions {
		keys = append(
			keys, version.Rules.Complete(keys, progress.Persona.Machines.Keys[c.MachineID], c.Outcome, c.Score)...,
		)
	}
	return keys
}

// Available lists the machines that the player can start, in document order. Without a token, a
// unique UserSessionID may also select a signed-in user's player. An unknown player is valid. The
// error kind is NotFound, Forbidden or Conflict.
func (s *Service) Available(ctx context.Context, ref Ref) ([]wire.AvailableMachine, error) {
	progress, version, err := s.loadProgressAndVersion(ctx, ref, s.Store.LoadProgressWithRoute)
	if err != nil {
		return nil, err
	}
	return availableMachines(version, &progress), nil
}

func availableMachines(version *store.Version, progress *store.PlayerProgress) []wire.AvailableMachine {
	list := []wire.AvailableMachine{}
	for _, key := range version.Rules.Available(unlockedMachines(version, progress)) {
		machine := version.Machines[key]
		available := wire.AvailableMachine{
			MachineID: progress.Persona.Machines.IDs[key], MachineKey: key, Name: machine.Title(),
			Description: machine.Description,
			IsLinked:    version.Rules.IsLinked(key),
		}
		if session := sessionOn(progress, available.MachineID); session != nil {
			available.HasSession, available.SessionOutcome = true, textOrNull(session.Engine.Outcome)
		}
		list = append(list, available)
	}
	return list
}

func sessionOn(progress *store.PlayerProgress, machineID string) *store.Session {
	for i := range progress.Sessions {
		if progress.Sessions[i].MachineID == machineID {
			return &progress.Sessions[i]
		}
	}
	return nil
}

// Progress returns the player's state (persona-file section 3). The error kind is NotFound,
// Forbidden or Conflict.
func (s *Service) Progress(ctx context.Context, ref Ref) (wire.Progress, error) {
	progress, version, err := s.loadProgressAndVersion(ctx, ref, s.Store.LoadProgressWithRoute)
	if err != nil {
		return wire.Progress{}, err
	}
	state := wire.Progress{
		PersonaID: progress.Persona.ID, AvailableMachines: availableMachines(version, &progress),
		CompletedMachines: make([]wire.CompletedMachine, len(progress.Completions)),
		RoutePath:         make([]wire.RouteStep, len(progress.Route)), CrossMachineVars: progress.Vars,
		HasLinks: version.Rules.HasLinks(),
	}
	if state.CrossMachineVars == nil {
		state.CrossMachineVars = map[string]string{}
	}
	sessions := make([]engine.Session, len(progress.Sessions))
	for i := range progress.Sessions {
		sessions[i] = progress.Sessions[i].Engine
	}
	state.RelationshipLevel = engine.Relationship(sessions)
	isRunning := func(session engine.Session) bool { return !session.IsFinished() }
	if newest := slices.IndexFunc(sessions, isRunning); newest >= 0 {
		state.CurrentMachineID = &progress.Sessions[newest].MachineID
	}
	scores := make([]int, len(progress.Completions))
	for i, c := range progress.Completions {
		key := progress.Persona.Machines.Keys[c.MachineID]
		state.CompletedMachines[i] = wire.CompletedMachine{
			MachineID: c.MachineID, MachineKey: key, Name: machineTitle(version, key),
			Outcome: string(c.Outcome), Score: c.Score, CompletedAt: wire.Time{Time: c.At},
		}
		scores[i] = c.Score
	}
	state.TotalScore = engine.TotalScore(scores)
	for i, e := range progress.Route {
		key := progress.Persona.Machines.Keys[e.MachineID]
		state.RoutePath[i] = wire.RouteStep{
			MachineID: e.MachineID, MachineKey: key, Name: machineTitle(version, key), EnteredAt: wire.Time{Time: e.At},
		}
	}
	return state, nil
}

// ResetProgress deletes the player's data with the persona. An unknown player is valid. The error
// kind is NotFound or Forbidden.
func (s *Service) ResetProgress(ctx context.Context, ref Ref) (wire.ProgressReset, error) {
	deleted, err := s.Store.ResetProgress(ctx, ref.storePlayer())
	return wire.ProgressReset{
		PersonaID: ref.PersonaID, UserSessionID: ref.UserSessionID, DeletedSessions: deleted,
	}, callerError(err)
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
	}, callerError(err)
}

package localserver

import (
	"context"
	"maps"

	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/wire"
)

// playerInput names a player of a persona.
type playerInput struct {
	PersonaID     string `path:"persona_id"`
	UserSessionID string `query:"user_session_id" required:"true" minLength:"1" maxLength:"200"`
}

func (s *service) progress(ctx context.Context, c *call, in *playerInput) (wire.Progress, error) {
	p, err := s.play.Progress(ctx, c.ref(in.PersonaID, in.UserSessionID, ""))
	vars := map[string]string{}
	maps.Copy(vars, p.Vars)
	return wire.Progress{
		PersonaID: p.PersonaID, CurrentMachineID: orNull(p.CurrentMachineID),
		RelationshipLevel: p.RelationshipLevel, TotalScore: p.TotalScore,
		CompletedMachines: completed(p.Completed), AvailableMachines: available(p.Available),
		RoutePath: entered(p.Route), CrossMachineVars: vars, HasLinks: p.HasLinks,
	}, err
}

func (s *service) resetProgress(ctx context.Context, c *call, in *playerInput) (wire.ProgressReset, error) {
	deleted, err := s.play.ResetProgress(ctx, c.ref(in.PersonaID, in.UserSessionID, ""))
	return wire.ProgressReset{PersonaID: in.PersonaID, UserSessionID: in.UserSessionID, DeletedSessions: deleted}, err
}

func (s *service) availableMachines(ctx context.Context, c *call, in *playerInput) ([]wire.AvailableMachine, error) {
	machines, err := s.play.Available(ctx, c.ref(in.PersonaID, in.UserSessionID, ""))
	return available(machines), err
}

func completed(machines []play.CompletedMachine) []wire.CompletedMachine {
	list := make([]wire.CompletedMachine, len(machines))
	for i, m := range machines {
		list[i] = wire.CompletedMachine{
			MachineID: m.ID, MachineKey: m.Key, Name: m.Name,
			Outcome: string(m.Outcome), Score: m.Score, CompletedAt: wire.Time{Time: m.At},
		}
	}
	return list
}

func available(machines []play.AvailableMachine) []wire.AvailableMachine {
	list := make([]wire.AvailableMachine, len(machines))
	for i, m := range machines {
		list[i] = wire.AvailableMachine{
			MachineID: m.ID, MachineKey: m.Key, Name: m.Name, Description: m.Description,
			HasSession: m.HasSession, SessionOutcome: outcome(m.Outcome), IsLinked: m.IsLinked,
		}
	}
	return list
}

func entered(steps []play.RouteStep) []wire.RouteStep {
	list := make([]wire.RouteStep, len(steps))
	for i, step := range steps {
		list[i] = wire.RouteStep{MachineID: step.ID, MachineKey: step.Key, Name: step.Name, EnteredAt: wire.Time{Time: step.At}}
	}
	return list
}

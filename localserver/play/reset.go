package play

import (
	"context"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// Reset clears the history of the session on r.Machine. If r.Machine is empty, it clears all
// sessions of the player with the persona. The sessions keep their ids, versions and opening lines.
// Completions are kept. The result describes the session that was opened last. Reset returns an
// *Error of kind NotFound or Forbidden. The kind is Conflict if a session is replaced meanwhile.
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

// namedSessions returns the session on a machine, or all sessions if machine is "". If there is no
// session, it returns an error.
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

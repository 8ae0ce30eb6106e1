package play

import (
	"context"

	"github.com/parley-npc/parley/localserver/store"
)

// ResetDone names the session opened last among those that were reset, and its
// opening line.
type ResetDone struct{ SessionID, Message string }

// Reset clears the history of the session on the machine named, or of all the
// player's sessions with the persona, and sets the machine back to its initial
// state; its opening line is said again as it was. The session keeps its id and
// its version of the persona; what was completed stays. It refuses NotFound,
// Forbidden, and Conflict when a session is replaced meanwhile.
func (s *Service) Reset(ctx context.Context, r Ref) (ResetDone, error) {
	st, err := s.Store.Standing(ctx, r.who())
	if err != nil {
		return ResetDone{}, refused(err)
	}
	sessions, err := meant(&st, r.Machine)
	if err != nil {
		return ResetDone{}, refused(err)
	}
	restarts := make([]store.Restart, len(sessions))
	for i := range sessions {
		p, err := s.partOf(ctx, &st.Persona, &sessions[i])
		if err != nil {
			return ResetDone{}, err
		}
		restarts[i] = store.Restart{SessionID: sessions[i].ID, Engine: p.rules.Start()}
	}
	lines, err := s.Store.Restart(ctx, restarts, s.now())
	if err != nil {
		return ResetDone{}, refused(err)
	}
	return ResetDone{SessionID: restarts[0].SessionID, Message: lines[0]}, nil
}

// meant are the sessions on the machine named, or all; never none.
func meant(st *store.Standing, machine string) ([]store.Session, error) {
	id, ok := st.Persona.Machines.Find(machine)
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

// History gives the session on the machine named, or else the one opened last,
// with all its messages. It refuses NotFound and Forbidden.
func (s *Service) History(ctx context.Context, r Ref) (History, error) {
	l, err := s.Store.History(ctx, r.who(), r.Machine)
	if err != nil {
		return History{}, refused(err)
	}
	n := &l.Session
	h := History{
		SessionID: n.ID, PersonaID: l.Persona.ID, CurrentState: n.Engine.State, Score: n.Engine.Score, Outcome: n.Engine.Outcome,
		PlayerName: n.PlayerName, PlayerGender: n.PlayerGender, StartedAt: n.StartedAt, LastMessageAt: n.LastMessageAt,
		Messages: make([]HistoryMessage, len(l.Recent)),
	}
	for i, m := range l.Recent {
		h.Messages[i] = HistoryMessage{
			ID: m.ID, Role: m.Role, Content: m.Content, State: m.State, Score: m.Score,
			Decision: m.Decision, FollowUp: m.FollowUp, At: m.At,
		}
	}
	return h, nil
}

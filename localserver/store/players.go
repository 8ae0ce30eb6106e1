package store

import (
	"cmp"
	"context"
	"errors"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
)

// LoadProgress returns where a player stands with a persona, without the route. It
// refuses a persona that is neither published nor the viewer's own
// (ErrNotFound), and a player who belongs to another user (ErrForbidden); a
// player who has not opened a session yet is no error.
func (s *Store) LoadProgress(ctx context.Context, w PlayerRef) (st PlayerProgress, err error) {
	err = s.database.Read(ctx, func(ctx context.Context, q db.Querier) error {
		st, err = loadPlayerProgress(ctx, q, w)
		return err
	})
	return st, err
}

// LoadProgressWithRoute returns where a player stands, with the route. Unlike LoadProgress it asks
// no token of a player who has an owner, only that it is no other user's.
func (s *Store) LoadProgressWithRoute(ctx context.Context, w PlayerRef) (st PlayerProgress, err error) {
	err = s.database.Read(ctx, func(ctx context.Context, q db.Querier) error {
		st, err = loadProgressWithRoute(ctx, q, w)
		return err
	})
	return st, err
}

func loadProgressWithRoute(ctx context.Context, q db.Querier, w PlayerRef) (st PlayerProgress, err error) {
	if st.Persona, err = findHead(ctx, q, w); err != nil {
		return PlayerProgress{}, err
	}
	if st.PlayerID, err = readablePlayer(ctx, q, w); err != nil || st.PlayerID == "" {
		return st, err
	}
	if err := fillProgress(ctx, q, &st); err != nil {
		return PlayerProgress{}, err
	}
	rows, err := q.Route(ctx, st.PlayerID)
	for _, r := range rows {
		st.Route = append(st.Route, RouteEntry{MachineID: r.MachineID, At: fromMillis(r.EnteredAt)})
	}
	return st, err
}

func loadPlayerProgress(ctx context.Context, q db.Querier, w PlayerRef) (st PlayerProgress, err error) {
	if st.Persona, err = findHead(ctx, q, w); err != nil {
		return PlayerProgress{}, err
	}
	if st.PlayerID, err = findPlayer(ctx, q, w); err != nil || st.PlayerID == "" {
		return st, err
	}
	return st, fillProgress(ctx, q, &st)
}

// findHead finds the persona that the player may see: on the SDK side the key's
// owner looks, on the web side the signed-in caller.
func findHead(ctx context.Context, q db.Querier, w PlayerRef) (PersonaHead, error) {
	row, err := q.VisiblePersona(ctx, db.VisiblePersonaParams{ID: w.PersonaID, Viewer: cmp.Or(w.Space, w.UserID)})
	if err != nil {
		return PersonaHead{}, mapNotFound(err)
	}
	if w.Space != "" && (!row.Public || row.OwnerID != w.Space) {
		return PersonaHead{}, ErrNotOwn
	}
	ms, err := loadMachines(ctx, q, row.ID)
	return PersonaHead{ID: row.ID, OwnerID: row.OwnerID, Public: row.Public, Version: row.Version, Machines: ms}, err
}

// findPlayer finds the player's id, "" when there is none yet.
func findPlayer(ctx context.Context, q db.Querier, w PlayerRef) (string, error) {
	row, err := q.Player(ctx, db.PlayerParams{
		Space: w.Space, UserSessionID: w.UserSessionID, PersonaID: w.PersonaID, UserID: w.UserID,
	})
	return allowPlayer(row.ID, row.Allowed, err)
}

func readablePlayer(ctx context.Context, q db.Querier, w PlayerRef) (string, error) {
	row, err := q.ReadablePlayer(ctx, db.ReadablePlayerParams{
		Space: w.Space, UserSessionID: w.UserSessionID, PersonaID: w.PersonaID, UserID: w.UserID,
	})
	return allowPlayer(row.ID, row.Allowed, err)
}

func allowPlayer(id string, ok bool, err error) (string, error) {
	switch err = mapNotFound(err); {
	case errors.Is(err, ErrNotFound):
		return "", nil
	case err != nil:
		return "", err
	case !ok:
		return "", ErrForbidden
	}
	return id, nil
}

func fillProgress(ctx context.Context, q db.Querier, st *PlayerProgress) error {
	sessions, err := q.Sessions(ctx, st.PlayerID)
	if err != nil {
		return err
	}
	for i := range sessions {
		st.Sessions = append(st.Sessions, sessionOf(&sessions[i]))
	}
	if st.Completions, err = loadCompletions(ctx, q, st.PlayerID); err != nil {
		return err
	}
	if st.Unlocked, err = q.Unlocked(ctx, st.PlayerID); err != nil {
		return err
	}
	st.Vars, err = loadVariables(ctx, q, st.PlayerID)
	return err
}

func loadCompletions(ctx context.Context, q db.Querier, playerID string) ([]Completion, error) {
	rows, err := q.Completions(ctx, playerID)
	list := make([]Completion, len(rows))
	for i, r := range rows {
		list[i] = Completion{
			MachineID: r.MachineID, Outcome: personas.Outcome(r.Outcome), Score: int(r.Score), At: fromMillis(r.CompletedAt),
		}
	}
	return list, err
}

func loadVariables(ctx context.Context, q db.Querier, playerID string) (map[string]string, error) {
	rows, err := q.Variables(ctx, playerID)
	vars := make(map[string]string, len(rows))
	for _, r := range rows {
		vars[r.Key] = r.Value
	}
	return vars, err
}

// ResetProgress removes a player with all sessions, completions, unlocked
// machines, route and variables, and tells how many sessions there were. It
// refuses as LoadProgress does; a player who is not there is no error.
func (s *Store) ResetProgress(ctx context.Context, w PlayerRef) (sessions int, err error) {
	err = s.database.Write(ctx, func(ctx context.Context, q db.Querier) error {
		sessions, err = resetProgress(ctx, q, w)
		return err
	})
	return sessions, err
}

func resetProgress(ctx context.Context, q db.Querier, w PlayerRef) (int, error) {
	st, err := loadPlayerProgress(ctx, q, w)
	if err != nil || st.PlayerID == "" {
		return 0, err
	}
	if err := q.DeletePlayer(ctx, st.PlayerID); err != nil {
		return 0, err
	}
	return len(st.Sessions), q.DropVersions(ctx, w.PersonaID)
}

// MigratePlayers makes the user the owner of every web player with that user session
// id, over all personas, and gives the number of their sessions and the
// personas' ids. Players that are the user's already count too. It refuses, and
// changes nothing, when there is none (ErrNotFound) or any is another user's
// (ErrForbidden).
func (s *Store) MigratePlayers(ctx context.Context, userID, userSessionID string) (sessions int, personaIDs []string, err error) {
	err = s.database.Write(ctx, func(ctx context.Context, q db.Querier) error {
		sessions, personaIDs = 0, nil
		rows, err := migratePlayers(ctx, q, userID, userSessionID)
		for _, r := range rows {
			sessions += int(r.Sessions)
			personaIDs = append(personaIDs, r.PersonaID)
		}
		return err
	})
	return sessions, personaIDs, err
}

func migratePlayers(ctx context.Context, q db.Querier, userID, userSessionID string) ([]db.OwnPlayersRow, error) {
	owner := orNull(userID)
	foreign, err := q.ForeignPlayers(ctx, db.ForeignPlayersParams{UserSessionID: userSessionID, Owner: owner})
	if err != nil {
		return nil, err
	}
	if foreign > 0 {
		return nil, ErrForbidden
	}
	if err := q.ClaimPlayers(ctx, db.ClaimPlayersParams{UserSessionID: userSessionID, OwnerID: owner}); err != nil {
		return nil, err
	}
	rows, err := q.OwnPlayers(ctx, db.OwnPlayersParams{UserSessionID: userSessionID, OwnerID: owner})
	if err == nil && len(rows) == 0 {
		return nil, ErrNotFound
	}
	return rows, err
}

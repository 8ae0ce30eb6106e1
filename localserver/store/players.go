package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
)

// LoadProgress returns a player's state without the route. LoadProgress returns ErrNotFound for an
// invisible persona. An unknown player is valid.
func (s *Store) LoadProgress(ctx context.Context, ref PlayerRef) (PlayerProgress, error) {
	return fetch(ctx, s.database.Read, func(ctx context.Context, q *db.Queries) (PlayerProgress, error) {
		return loadPlayerProgress(ctx, q, ref, findPlayer)
	})
}

// LoadProgressWithRoute returns a player's state with the route. Without a token, it also finds a
// signed-in user's player if the user session id is unique.
func (s *Store) LoadProgressWithRoute(ctx context.Context, ref PlayerRef) (PlayerProgress, error) {
	return fetch(ctx, s.database.Read, func(ctx context.Context, q *db.Queries) (PlayerProgress, error) {
		progress, err := loadPlayerProgress(ctx, q, ref, readablePlayer)
		if err != nil || progress.PlayerID == "" {
			return progress, err
		}
		rows, err := q.Route(ctx, progress.PlayerID)
		for _, r := range rows {
			progress.Route = append(progress.Route, RouteEntry{MachineID: r.MachineID, At: fromMillis(r.EnteredAt)})
		}
		return progress, err
	})
}

func loadPlayerProgress(
	ctx context.Context, q *db.Queries, ref PlayerRef,
	find func(context.Context, *db.Queries, PlayerRef) (string, error),
) (progress PlayerProgress, err error) {
	if progress.Persona, err = findHead(ctx, q, ref); err != nil {
		return PlayerProgress{}, err
	}
	if progress.PlayerID, err = find(ctx, q, ref); err != nil || progress.PlayerID == "" {
		return progress, err
	}
	sessions, err := q.Sessions(ctx, progress.PlayerID)
	if err != nil {
		return PlayerProgress{}, err
	}
	for i := range sessions {
		progress.Sessions = append(progress.Sessions, sessionOf(&sessions[i]))
	}
	return progress, fillAchieved(ctx, q, &progress)
}

func findHead(ctx context.Context, q *db.Queries, ref PlayerRef) (PersonaHead, error) {
	row, err := q.VisiblePersona(ctx, db.VisiblePersonaParams{ID: ref.PersonaID, Viewer: cmp.Or(ref.Space, ref.UserID)})
	if err != nil {
		return PersonaHead{}, ifMissing(err, ErrNotFound)
	}
	if ref.Space != "" && (!row.Public || row.OwnerID != ref.Space) {
		return PersonaHead{}, ErrNotOwn
	}
	ms, err := loadMachines(ctx, q, row.ID)
	return PersonaHead{ID: row.ID, OwnerID: row.OwnerID, Public: row.Public, Version: row.Version, Machines: ms}, err
}

// findPlayer never returns another user's player.
func findPlayer(ctx context.Context, q *db.Queries, ref PlayerRef) (string, error) {
	id, err := q.Player(ctx, db.PlayerParams{
		Space: ref.ownSpace(), Shared: ref.sharedSpace(), UserSessionID: ref.UserSessionID, PersonaID: ref.PersonaID,
	})
	return id, ifMissing(err, nil)
}

func readablePlayer(ctx context.Context, q *db.Queries, ref PlayerRef) (string, error) {
	if ref.Space != "" || ref.UserID != "" {
		return findPlayer(ctx, q, ref)
	}
	rows, err := q.WebPlayers(ctx, db.WebPlayersParams{UserSessionID: ref.UserSessionID, PersonaID: ref.PersonaID})
	if err != nil || len(rows) == 0 {
		return "", err
	}
	isAnonymous := rows[0].Space == ""
	if len(rows) > 1 && !isAnonymous {
		return "", nil
	}
	return rows[0].ID, nil
}

func fillAchieved(ctx context.Context, q *db.Queries, progress *PlayerProgress) (err error) {
	if progress.Completions, err = loadCompletions(ctx, q, progress.PlayerID); err != nil {
		return err
	}
	if progress.Unlocked, err = q.Unlocked(ctx, progress.PlayerID); err != nil {
		return err
	}
	progress.Vars, err = loadVariables(ctx, q, progress.PlayerID)
	return err
}

func loadCompletions(ctx context.Context, q *db.Queries, playerID string) ([]Completion, error) {
	rows, err := q.Completions(ctx, playerID)
	list := make([]Completion, len(rows))
	for i, r := range rows {
		list[i] = Completion{
			MachineID: r.MachineID, Outcome: personas.Outcome(r.Outcome), Score: int(r.Score),
			At: fromMillis(r.CompletedAt),
		}
	}
	return list, err
}

func loadVariables(ctx context.Context, q *db.Queries, playerID string) (map[string]string, error) {
	rows, err := q.Variables(ctx, playerID)
	vars := make(map[string]string, len(rows))
	for _, r := range rows {
		vars[r.Key] = r.Value
	}
	return vars, err
}

// ResetProgress deletes a player and returns the number of deleted sessions. ResetProgress returns
// the errors of LoadProgress. An unknown player is valid.
func (s *Store) ResetProgress(ctx context.Context, ref PlayerRef) (sessions int, err error) {
	return fetch(ctx, s.database.Write, func(ctx context.Context, q *db.Queries) (int, error) {
		progress, err := loadPlayerProgress(ctx, q, ref, findPlayer)
		if err != nil || progress.PlayerID == "" {
			return 0, err
		}
		if err := q.DeletePlayer(ctx, progress.PlayerID); err != nil {
			return 0, err
		}
		return len(progress.Sessions), q.DropVersions(ctx, ref.PersonaID)
	})
}

// MigratePlayers assigns all anonymous web players with a user session id to a user. The result
// counts the user's sessions with that id, and lists their personas. MigratePlayers returns
// ErrNotFound without a session, and *DoublePlayerError before any change.
func (s *Store) MigratePlayers(
	ctx context.Context, userID, userSessionID string,
) (sessions int, personaIDs []string, err error) {
	rows, err := fetch(ctx, s.database.Write, func(ctx context.Context, q *db.Queries) ([]db.OwnPlayersRow, error) {
		return migratePlayers(ctx, q, PlayerRef{UserID: userID, UserSessionID: userSessionID})
	})
	for _, r := range rows {
		sessions += int(r.Sessions)
		personaIDs = append(personaIDs, r.PersonaID)
	}
	return sessions, personaIDs, err
}

// DoublePlayerError means that the user already has a player with the same persona and user session
// id.
type DoublePlayerError struct{ PersonaID string }

func (e *DoublePlayerError) Error() string {
	return "the user already has a player with the same user session id and persona " + e.PersonaID
}

func migratePlayers(ctx context.Context, q *db.Queries, ref PlayerRef) ([]db.OwnPlayersRow, error) {
	personaID, err := q.DoublePlayer(ctx, db.DoublePlayerParams{
		Space: ref.ownSpace(), UserSessionID: ref.UserSessionID,
	})
	if err == nil {
		return nil, &DoublePlayerError{personaID}
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	claim := db.ClaimPlayersParams{Space: ref.ownSpace(), OwnerID: orNull(ref.UserID), UserSessionID: ref.UserSessionID}
	if err := q.ClaimPlayers(ctx, claim); err != nil {
		return nil, err
	}
	rows, err := q.OwnPlayers(ctx, db.OwnPlayersParams{Space: ref.ownSpace(), UserSessionID: ref.UserSessionID})
	if err == nil && len(rows) == 0 {
		return nil, ErrNotFound
	}
	return rows, err
}

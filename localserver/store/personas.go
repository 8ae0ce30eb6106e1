package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
)

// UpsertUser stores a user if anything has changed. A user must exist before rows that refer to the
// user.
func (s *Store) UpsertUser(ctx context.Context, user User) error {
	count, err := query(ctx, s.database, (*db.Queries).UserIs, db.UserIsParams(user))
	if err != nil || count > 0 {
		return err
	}
	return s.database.Write(ctx, func(ctx context.Context, q *db.Queries) error {
		return q.UpsertUser(ctx, db.UpsertUserParams(user))
	})
}

// SavePersona creates a persona or a new version. A machine with an unchanged key keeps its id.
// Idempotency.Scope must contain the owner's id. SavePersona returns ErrNotFound, ErrForbidden,
// ErrTooLarge or ErrKeyReused, and ErrChanged if IfUpdatedAt is outdated.
func (s *Store) SavePersona(ctx context.Context, save PersonaSave) (p Persona, created bool, err error) {
	doc, err := encodeDocument(ctx, &save.Doc)
	if err != nil {
		return Persona{}, false, err
	}
	done, err := fetch(ctx, s.changePersona, func(ctx context.Context, q *db.Queries) (savedPersona, error) {
		return s.savePersona(ctx, q, save, string(doc))
	})
	if err != nil {
		return Persona{}, false, err
	}
	done.Persona.Doc = save.Doc
	return done.Persona, done.Created, nil
}

// json.Marshal would use six bytes for each & and each <, so encodeDocument calls MarshalJSON.
func encodeDocument(ctx context.Context, doc *personas.Persona) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text, err := doc.MarshalJSON()
	switch {
	case err != nil:
		return nil, fmt.Errorf("encode the persona: %w", err)
	case len(text) > personas.MaxFile:
		return nil, ErrTooLarge
	}
	return text, ctx.Err()
}

type savedPersona struct {
	Persona Persona
	Created bool
}

func (s *Store) savePersona(
	ctx context.Context, q *db.Queries, save PersonaSave, doc string,
) (done savedPersona, err error) {
	answer, err := s.findAnswer(ctx, q, save.Idempotency)
	if err != nil {
		return savedPersona{}, err
	}
	if answer != nil {
		return done, json.Unmarshal(answer, &done)
	}
	row, err := s.saveRow(ctx, q, save)
	if err != nil {
		return savedPersona{}, err
	}
	if err := s.saveVersion(ctx, q, row, save.Doc.Machines, doc); err != nil {
		return savedPersona{}, err
	}
	ids, err := loadMachines(ctx, q, row.ID)
	if err != nil {
		return savedPersona{}, err
	}
	done = savedPersona{Persona: personaOf(row, ids), Created: save.PersonaID == ""}
	if !save.Idempotency.isWanted() {
		return done, nil
	}
	call := *save.Idempotency
	if call.Answer, err = json.Marshal(done); err != nil {
		return done, err
	}
	return done, s.keepAnswer(ctx, q, &call, answerSubject{personaID: row.ID})
}

func (s *Store) saveRow(ctx context.Context, q *db.Queries, save PersonaSave) (db.Persona, error) {
	if save.PersonaID == "" {
		return s.newRow(ctx, q, save)
	}
	row, err := q.OwnPersona(ctx, db.OwnPersonaParams{ID: save.PersonaID, Owner: save.OwnerID})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return db.Persona{}, missingOrForbidden(ctx, q, save.PersonaID, save.OwnerID)
	case err != nil:
		return db.Persona{}, err
	case save.IfUpdatedAt != nil && toMillis(*save.IfUpdatedAt) != row.UpdatedAt:
		return db.Persona{}, ErrChanged
	}
	row.Version++
	row.Name, row.Description = save.Doc.Name, save.Doc.Description
	row.UpdatedAt = max(toMillis(s.now()), row.UpdatedAt+1)
	return row, q.UpdatePersona(ctx, db.UpdatePersonaParams{
		ID: row.ID, Owner: row.OwnerID, Version: row.Version,
		Name: row.Name, Description: row.Description, UpdatedAt: row.UpdatedAt,
	})
}

func (s *Store) newRow(ctx context.Context, q *db.Queries, save PersonaSave) (db.Persona, error) {
	now := toMillis(s.now())
	row := db.Persona{
		ID: s.newID(), OwnerID: save.OwnerID, Version: 1,
		Name: save.Doc.Name, Description: save.Doc.Description, CreatedAt: now, UpdatedAt: now,
	}
	return row, q.InsertPersona(ctx, db.InsertPersonaParams{
		ID: row.ID, OwnerID: row.OwnerID, Version: row.Version,
		Name: row.Name, Description: row.Description, CreatedAt: now, UpdatedAt: now,
	})
}

func (s *Store) saveVersion(
	ctx context.Context, q *db.Queries, row db.Persona, ms []personas.Machine, doc string,
) error {
	version := db.InsertVersionParams{PersonaID: row.ID, Version: row.Version, Doc: doc}
	if err := q.InsertVersion(ctx, version); err != nil {
		return err
	}
	if err := q.DropVersions(ctx, row.ID); err != nil {
		return err
	}
	for i := range ms {
		err := q.KeepMachine(ctx, db.KeepMachineParams{ID: s.newID(), PersonaID: row.ID, MachineKey: ms[i].Key})
		if err != nil {
			return err
		}
	}
	return nil
}

func missingOrForbidden(ctx context.Context, q *db.Queries, id, caller string) error {
	_, err := q.VisiblePersona(ctx, db.VisiblePersonaParams{ID: id, Viewer: caller})
	if err != nil {
		return ifMissing(err, ErrNotFound)
	}
	return ErrForbidden
}

func personaOf(row db.Persona, ms Machines) Persona {
	return Persona{
		ID: row.ID, OwnerID: row.OwnerID, Public: row.Public, Version: row.Version,
		CreatedAt: fromMillis(row.CreatedAt), UpdatedAt: fromMillis(row.UpdatedAt), MachineIDs: ms.IDs,
	}
}

// LoadPersonaSummary is LoadPersona without the document and the machine ids.
func (s *Store) LoadPersonaSummary(ctx context.Context, id, viewer string) (PersonaSummary, error) {
	views := s.views.Load() // before the query, so that a summary from before a change is not found after the change
	key := viewKey{id, viewer}
	if p, ok := views.Find(key); ok {
		return p, nil
	}
	row, err := query(ctx, s.database, (*db.Queries).VisibleSingle, db.VisibleSingleParams{ID: id, Viewer: viewer})
	if err != nil {
		return PersonaSummary{}, ifMissing(err, ErrNotFound)
	}
	p := PersonaSummary{
		ID: row.ID, OwnerID: row.OwnerID, Name: row.Name, Description: row.Description, IdentityPrompt: row.Prompt,
		Public: row.Public, CreatedAt: fromMillis(row.CreatedAt), UpdatedAt: fromMillis(row.UpdatedAt),
	}
	if !s.database.IsShared() {
		views.Keep(key, p, viewBytes+len(p.IdentityPrompt)+len(p.Description)+len(p.Name))
	}
	return p, nil
}

// Summary returns the persona without its document, version and machine ids.
func (p *Persona) Summary() PersonaSummary {
	return PersonaSummary{
		ID: p.ID, OwnerID: p.OwnerID, Name: p.Doc.Name, Description: p.Doc.Description,
		IdentityPrompt: p.Doc.IdentityPrompt, Public: p.Public, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
	}
}

// PublishPersona makes the owner's persona public. PublishPersona returns ErrNotFound or
// ErrForbidden.
func (s *Store) PublishPersona(ctx context.Context, id, owner string) error {
	return s.changePersona(ctx, func(ctx context.Context, q *db.Queries) error {
		n, err := q.PublishPersona(ctx, db.PublishPersonaParams{ID: id, Owner: owner})
		return checkAffected(ctx, q, n, err, id, owner)
	})
}

func (s *Store) changePersona(ctx context.Context, work txWork) error {
	defer func() { s.views.Store(newViewCache()) }()
	return s.database.Write(ctx, work)
}

// DeletePersona deletes the owner's persona with all data that refers to the persona. DeletePersona
// returns ErrNotFound or ErrForbidden.
func (s *Store) DeletePersona(ctx context.Context, id, owner string) error {
	return s.changePersona(ctx, func(ctx context.Context, q *db.Queries) error {
		if err := q.DropPlayers(ctx, db.DropPlayersParams{PersonaID: id, Owner: owner}); err != nil {
			return err
		}
		n, err := q.DeletePersona(ctx, db.DeletePersonaParams{ID: id, Owner: owner})
		return checkAffected(ctx, q, n, err, id, owner)
	})
}

func checkAffected(ctx context.Context, q *db.Queries, n int64, err error, id, owner string) error {
	if err != nil || n > 0 {
		return err
	}
	return missingOrForbidden(ctx, q, id, owner)
}

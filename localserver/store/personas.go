package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
)

// UpsertUser stores a user with the e-mail address and name that the identity provider currently
// reports. A user must be stored before any row that refers to the user. UpsertUser does not write
// if nothing has changed.
func (s *Store) UpsertUser(ctx context.Context, u User) error {
	var known int64
	err := s.database.Query(ctx, func(ctx context.Context, q *db.Queries) (err error) {
		known, err = q.UserIs(ctx, db.UserIsParams(u))
		return err
	})
	if err != nil || known > 0 {
		return err
	}
	return s.database.Write(ctx, func(ctx context.Context, q *db.Queries) error {
		return q.UpsertUser(ctx, db.UpsertUserParams(u))
	})
}

// SavePersona creates a persona or a new version of one. If the persona had a machine with the same
// key before, the machine keeps its id. UpdatedAt always increases. Idempotency.Scope must contain
// the owner's id. SavePersona returns ErrNotFound if the persona does not exist or is another
// user's unpublished one, ErrForbidden if it is another user's published one, ErrChanged if it was
// saved after IfUpdatedAt, ErrTooLarge, and ErrKeyReused.
func (s *Store) SavePersona(ctx context.Context, in PersonaSave) (p Persona, created bool, err error) {
	doc, err := encodeDocument(ctx, &in.Doc)
	if err != nil {
		return Persona{}, false, err
	}
	err = s.changePersona(ctx, func(ctx context.Context, q *db.Queries) error {
		done, err := s.savePersona(ctx, q, in, string(doc))
		p, created = done.Persona, done.Created
		return err
	})
	if err != nil {
		return Persona{}, false, err
	}
	p.Doc = in.Doc
	return p, created, nil
}

// encodeDocument returns the stored form of a document. It calls MarshalJSON directly, because
// json.Marshal would write six bytes for each & and <.
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

// savedPersona is the answer that SavePersona stores for retries. It omits the document, because a
// retry must have the same body.
type savedPersona struct {
	Persona Persona
	Created bool
}

func (s *Store) savePersona(ctx context.Context, q *db.Queries, in PersonaSave, doc string) (done savedPersona, err error) {
	answer, err := s.findAnswer(ctx, q, in.Idempotency)
	if err != nil {
		return savedPersona{}, err
	}
	if answer != nil {
		return done, json.Unmarshal(answer, &done)
	}
	row, err := s.saveRow(ctx, q, in)
	if err != nil {
		return savedPersona{}, err
	}
	if err := s.saveVersion(ctx, q, row, in.Doc.Machines, doc); err != nil {
		return savedPersona{}, err
	}
	ids, err := loadMachines(ctx, q, row.ID)
	if err != nil {
		return savedPersona{}, err
	}
	done = savedPersona{Persona: personaOf(row, ids), Created: in.PersonaID == ""}
	return done, s.keepSavedAnswer(ctx, q, in.Idempotency, done)
}

func (s *Store) keepSavedAnswer(ctx context.Context, q *db.Queries, o *IdempotentCall, done savedPersona) error {
	if !o.isWanted() {
		return nil
	}
	answer, err := json.Marshal(done)
	if err != nil {
		return err
	}
	kept := *o
	kept.Answer = answer
	return s.keepAnswer(ctx, q, &kept, answerSubject{personaID: done.Persona.ID})
}

func (s *Store) saveRow(ctx context.Context, q *db.Queries, in PersonaSave) (db.Persona, error) {
	if in.PersonaID == "" {
		return s.newRow(ctx, q, in)
	}
	row, err := ownPersona(ctx, q, in.PersonaID, in.OwnerID)
	if err != nil {
		return db.Persona{}, err
	}
	if in.IfUpdatedAt != nil && toMillis(*in.IfUpdatedAt) != row.UpdatedAt {
		return db.Persona{}, ErrChanged
	}
	row.Version++
	row.Name, row.Description = in.Doc.Name, in.Doc.Description
	row.UpdatedAt = max(toMillis(s.now()), row.UpdatedAt+1)
	return row, q.UpdatePersona(ctx, db.UpdatePersonaParams{
		ID: row.ID, Owner: row.OwnerID, Version: row.Version,
		Name: row.Name, Description: row.Description, UpdatedAt: row.UpdatedAt,
	})
}

func (s *Store) newRow(ctx context.Context, q *db.Queries, in PersonaSave) (db.Persona, error) {
	now := toMillis(s.now())
	row := db.Persona{
		ID: s.newID(), OwnerID: in.OwnerID, Version: 1,
		Name: in.Doc.Name, Description: in.Doc.Description, CreatedAt: now, UpdatedAt: now,
	}
	return row, q.InsertPersona(ctx, db.InsertPersonaParams{
		ID: row.ID, OwnerID: row.OwnerID, Version: row.Version,
		Name: row.Name, Description: row.Description, CreatedAt: now, UpdatedAt: now,
	})
}

// saveVersion stores the document, deletes old versions that no session uses, and assigns ids to
// new machines.
func (s *Store) saveVersion(ctx context.Context, q *db.Queries, row db.Persona, ms []personas.Machine, doc string) error {
	if err := q.InsertVersion(ctx, db.InsertVersionParams{PersonaID: row.ID, Version: row.Version, Doc: doc}); err != nil {
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

// ownPersona returns a persona of the owner. It returns ErrForbidden for another user's published
// persona, and ErrNotFound for another user's unpublished one.
func ownPersona(ctx context.Context, q *db.Queries, id, owner string) (db.Persona, error) {
	row, err := q.OwnPersona(ctx, db.OwnPersonaParams{ID: id, Owner: owner})
	if err := mapNotFound(err); !errors.Is(err, ErrNotFound) {
		return row, err
	}
	return db.Persona{}, refuseChange(ctx, q, id, owner)
}

// refuseChange returns the error for a caller who may not change the persona.
func refuseChange(ctx context.Context, q *db.Queries, id, caller string) error {
	_, err := q.VisiblePersona(ctx, db.VisiblePersonaParams{ID: id, Viewer: caller})
	if err != nil {
		return mapNotFound(err)
	}
	return ErrForbidden
}

func loadMachines(ctx context.Context, q *db.Queries, personaID string) (Machines, error) {
	rows, err := q.Machines(ctx, personaID)
	if err != nil {
		return Machines{}, err
	}
	ms := Machines{IDs: make(map[string]string, len(rows)), Keys: make(map[string]string, len(rows))}
	for _, row := range rows {
		ms.IDs[row.MachineKey] = row.ID
		ms.Keys[row.ID] = row.MachineKey
	}
	return ms, nil
}

func personaOf(row db.Persona, ms Machines) Persona {
	return Persona{
		ID: row.ID, OwnerID: row.OwnerID, Public: row.Public, Version: row.Version,
		CreatedAt: fromMillis(row.CreatedAt), UpdatedAt: fromMillis(row.UpdatedAt), MachineIDs: ms.IDs,
	}
}

// LoadPersonaSummary is LoadPersona without the document and the machine ids.
func (s *Store) LoadPersonaSummary(ctx context.Context, id, viewer string) (PersonaSummary, error) {
	of := viewKey{persona: id, viewer: viewer}
	p, age, ok := s.views.getView(of)
	if ok {
		return p, nil
	}
	p, err := s.queryPersonaSummary(ctx, of)
	if err == nil && !s.database.IsShared() {
		s.views.keepView(of, p, age)
	}
	return p, err
}

func (s *Store) queryPersonaSummary(ctx context.Context, key viewKey) (p PersonaSummary, err error) {
	err = s.database.Query(ctx, func(ctx context.Context, q *db.Queries) error {
		row, err := q.VisibleSingle(ctx, db.VisibleSingleParams{ID: key.persona, Viewer: key.viewer})
		if err != nil {
			return mapNotFound(err)
		}
		p = PersonaSummary{
			ID: row.ID, OwnerID: row.OwnerID, Name: row.Name, Description: row.Description, IdentityPrompt: row.Prompt,
			Public: row.Public, CreatedAt: fromMillis(row.CreatedAt), UpdatedAt: fromMillis(row.UpdatedAt),
		}
		return nil
	})
	return p, err
}

// Summary returns the persona without its document, version and machine ids.
func (p *Persona) Summary() PersonaSummary {
	return PersonaSummary{
		ID: p.ID, OwnerID: p.OwnerID, Name: p.Doc.Name, Description: p.Doc.Description, IdentityPrompt: p.Doc.IdentityPrompt,
		Public: p.Public, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
	}
}

// PublishPersona makes the owner's persona public, unless it is public already. It returns
// ErrNotFound and ErrForbidden as SavePersona does.
func (s *Store) PublishPersona(ctx context.Context, id, owner string) error {
	return s.changePersona(ctx, func(ctx context.Context, q *db.Queries) error {
		n, err := q.PublishPersona(ctx, db.PublishPersonaParams{ID: id, Owner: owner})
		return checkAffected(ctx, q, n, err, id, owner)
	})
}

func (s *Store) changePersona(ctx context.Context, work txWork) error {
	defer s.views.forgetAll()
	return s.database.Write(ctx, work)
}

// DeletePersona deletes the owner's persona with all its versions, machines, players, sessions,
// messages, progress and stored answers. It returns ErrNotFound and ErrForbidden as SavePersona
// does.
func (s *Store) DeletePersona(ctx context.Context, id, owner string) error {
	return s.changePersona(ctx, func(ctx context.Context, q *db.Queries) error {
		if err := q.DropPlayers(ctx, db.DropPlayersParams{PersonaID: id, Owner: owner}); err != nil {
			return err
		}
		n, err := q.DeletePersona(ctx, db.DeletePersonaParams{ID: id, Owner: owner})
		return checkAffected(ctx, q, n, err, id, owner)
	})
}

// checkAffected returns an error that explains why no row was changed, if n is 0.
func checkAffected(ctx context.Context, q *db.Queries, n int64, err error, id, owner string) error {
	if err != nil || n > 0 {
		return err
	}
	return refuseChange(ctx, q, id, owner)
}

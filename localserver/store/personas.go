package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
)

// UpsertUser stores a user as the identity provider names them now. Every user
// must be stored before anything is stored that names them; a call that changes
// nothing does not write.
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

// SavePersona creates a persona, or adds a version to one. A machine keeps its id if the persona
// ever had its key, and updated_at always grows. It refuses a persona that does not exist or is not
// visible to the owner (ErrNotFound), somebody else's published one (ErrForbidden), one that was
// saved after IfUpdatedAt (ErrChanged), ErrTooLarge, and ErrKeyReused. Once.Scope must name the
// owner.
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

// encodeDocument returns the stored form of a document, by its own type, because the standard
// library would write six bytes for each & and <.
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

// savedPersona is the answer that SavePersona stores for a retry. It omits the document, because
// the retry has the same body, or is refused.
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

// saveRow writes the persona's own row.
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

// saveVersion writes the document, drops the versions that no session plays any more, and assigns
// ids to new machines.
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

// ownPersona finds a persona of the owner. To others a published one is
// forbidden, and an unpublished one does not exist.
func ownPersona(ctx context.Context, q *db.Queries, id, owner string) (db.Persona, error) {
	row, err := q.OwnPersona(ctx, db.OwnPersonaParams{ID: id, Owner: owner})
	if err := mapNotFound(err); !errors.Is(err, ErrNotFound) {
		return row, err
	}
	return db.Persona{}, refuseChange(ctx, q, id, owner)
}

// refuseChange returns the error for a caller who may not change a persona.
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

// LoadPersonaSummary returns the same persona without its machines and all else that only its
// document has.
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

func (s *Store) queryPersonaSummary(ctx context.Context, of viewKey) (p PersonaSummary, err error) {
	err = s.database.Query(ctx, func(ctx context.Context, q *db.Queries) error {
		row, err := q.VisibleSingle(ctx, db.VisibleSingleParams{ID: of.persona, Viewer: of.viewer})
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

// Summary returns the persona without what only its document has.
func (p *Persona) Summary() PersonaSummary {
	return PersonaSummary{
		ID: p.ID, OwnerID: p.OwnerID, Name: p.Doc.Name, Description: p.Doc.Description, IdentityPrompt: p.Doc.IdentityPrompt,
		Public: p.Public, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
	}
}

// PublishPersona makes the owner's persona public; it may be public already. It refuses
// as SavePersona does.
func (s *Store) PublishPersona(ctx context.Context, id, owner string) error {
	return s.changePersona(ctx, func(ctx context.Context, q *db.Queries) error {
		n, err := q.PublishPersona(ctx, db.PublishPersonaParams{ID: id, Owner: owner})
		return checkAffected(ctx, q, n, err, id, owner)
	})
}

// changePersona changes a persona, and clears the cached views before it returns.
func (s *Store) changePersona(ctx context.Context, do txWork) error {
	defer s.views.forgetAll()
	return s.database.Write(ctx, do)
}

// DeletePersona removes the owner's persona with everything that belongs to it:
// versions, machines, players, sessions, messages, progress, stored answers. It
// refuses as SavePersona does.
func (s *Store) DeletePersona(ctx context.Context, id, owner string) error {
	return s.changePersona(ctx, func(ctx context.Context, q *db.Queries) error {
		if err := q.DropPlayers(ctx, db.DropPlayersParams{PersonaID: id, Owner: owner}); err != nil {
			return err
		}
		n, err := q.DeletePersona(ctx, db.DeletePersonaParams{ID: id, Owner: owner})
		return checkAffected(ctx, q, n, err, id, owner)
	})
}

// checkAffected returns why no row was changed, if none was.
func checkAffected(ctx context.Context, q *db.Queries, n int64, err error, id, owner string) error {
	if err != nil || n > 0 {
		return err
	}
	return refuseChange(ctx, q, id, owner)
}

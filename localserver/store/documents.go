package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// LoadVersion returns a compiled version of a persona. LoadVersion holds no database connection
// while it parses the document.
func (s *Store) LoadVersion(ctx context.Context, personaID string, number int64) (*Version, error) {
	versions, key := s.versions, versionKey{personaID, number}
	if version, ok := versions.cache.Find(key); ok {
		return version, nil
	}
	select {
	case versions.parsing <- struct{}{}:
		defer func() { <-versions.parsing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if version, ok := versions.cache.Find(key); ok {
		return version, nil
	}
	text, err := query(ctx, s.database, (*db.Queries).Version, db.VersionParams{PersonaID: personaID, Version: number})
	if err = cmp.Or(ifMissing(err, ErrNotFound), ctx.Err()); err != nil {
		return nil, err
	}
	version, err := compileVersion([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("version %d of persona %s: %w", number, personaID, err)
	}
	versions.parsed.Add(1)
	versions.cache.Keep(key, version, len(text)+heldBytes(reflect.ValueOf(version.Doc)))
	return version, ctx.Err()
}

func compileVersion(text []byte) (version *Version, err error) {
	version = &Version{Doc: &personas.Persona{}, Machines: map[string]*personas.Machine{}}
	if err := version.Doc.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	for i := range version.Doc.Machines {
		version.Machines[version.Doc.Machines[i].Key] = &version.Doc.Machines[i]
	}
	version.Table = personas.NewVariableTable(version.Doc)
	version.Rules, err = engine.CompilePersona(version.Doc)
	return version, err
}

func heldBytes(v reflect.Value) int {
	held := 0
	switch v.Kind() {
	case reflect.String:
		held = v.Len()
	case reflect.Pointer:
		if !v.IsNil() {
			held = int(v.Type().Elem().Size()) + heldBytes(v.Elem())
		}
	case reflect.Slice:
		held = v.Cap() * int(v.Type().Elem().Size())
		for i := 0; i < v.Len() && v.Type().Elem().Kind() != reflect.Uint8; i++ {
			held += heldBytes(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			held += heldBytes(v.Field(i))
		}
	}
	return held
}

const maxReloads = 3

// LoadPersona returns a persona with a shared document. The caller must not change the document. A
// non-nil reserve receives the stored size first, and may return an error. LoadPersona returns
// ErrNotFound if the viewer may not see the persona.
func (s *Store) LoadPersona(
	ctx context.Context, id, viewer string, reserve func(bytes int64) error,
) (persona Persona, err error) {
	for range maxReloads {
		if persona, err = s.loadHead(ctx, id, viewer); err != nil {
			return Persona{}, err
		}
		if reserve != nil {
			size, err := query(ctx, s.database, (*db.Queries).VersionSize, db.VersionSizeParams{
				PersonaID: id, Version: persona.Version,
			})
			if err = ifMissing(err, nil); err == nil { // The version may have been deleted meanwhile.
				err = reserve(size)
			}
			if err != nil {
				return Persona{}, err
			}
		}
		version, err := s.LoadVersion(ctx, id, persona.Version)
		if err == nil {
			persona.Doc = *version.Doc
			return persona, nil
		}
		if !errors.Is(err, ErrNotFound) {
			return Persona{}, err
		}
	}
	return Persona{}, ErrNotFound
}

func (s *Store) loadHead(ctx context.Context, id, viewer string) (Persona, error) {
	return fetch(ctx, s.database.Read, func(ctx context.Context, q *db.Queries) (Persona, error) {
		row, err := q.VisiblePersona(ctx, db.VisiblePersonaParams{ID: id, Viewer: viewer})
		if err != nil {
			return Persona{}, ifMissing(err, ErrNotFound)
		}
		ms, err := loadMachines(ctx, q, id)
		return personaOf(row, ms), err
	})
}

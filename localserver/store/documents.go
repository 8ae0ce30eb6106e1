package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/cache"
)

// MaxDocumentBytes is the maximum memory for cached parsed documents. It is enough for one of the
// largest documents, or for thousands of typical ones.
const MaxDocumentBytes = 128 << 20

const maxParsing = 2

type documentKey struct {
	personaID string
	version   int64
}

// A document is a parsed version of a persona. It is shared and must not be changed.
type document struct {
	doc   *personas.Persona
	bytes int
}

type documentCache struct {
	kept    *cache.Cache[documentKey, *document]
	parsed  atomic.Int64
	parsing chan struct{} // contains one element for each document that is being parsed
}

func newDocumentCache() *documentCache {
	return &documentCache{kept: cache.New[documentKey, *document](MaxDocumentBytes), parsing: make(chan struct{}, maxParsing)}
}

// loadDocument loads and parses a document. It does not use a database connection while it parses.
func (s *Store) loadDocument(ctx context.Context, key documentKey) (*document, error) {
	c := s.documents
	if d, ok := c.kept.Find(key); ok {
		return d, nil
	}
	select {
	case c.parsing <- struct{}{}:
		defer func() { <-c.parsing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if d, ok := c.kept.Find(key); ok {
		return d, nil
	}
	text, err := query(ctx, s.database, (*db.Queries).Version, db.VersionParams{PersonaID: key.personaID, Version: key.version})
	if err = cmp.Or(ifMissing(err, ErrNotFound), ctx.Err()); err != nil {
		return nil, err
	}
	d := &document{doc: &personas.Persona{}}
	if err := d.doc.UnmarshalJSON([]byte(text)); err != nil {
		return nil, fmt.Errorf("decode version %d of persona %s: %w", key.version, key.personaID, err)
	}
	d.bytes = len(text) + heldBytes(reflect.ValueOf(d.doc))
	c.parsed.Add(1)
	c.kept.Keep(key, d, d.bytes)
	return d, ctx.Err()
}

// heldBytes returns the memory in bytes that v refers to, without v itself.
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

// LoadVersion returns the document of one version of a persona, and its memory in bytes. A
// version never changes. The document is shared and must not be changed.
func (s *Store) LoadVersion(ctx context.Context, personaID string, number int64) (*personas.Persona, int, error) {
	d, err := s.loadDocument(ctx, documentKey{personaID, number})
	if err != nil {
		return nil, 0, err
	}
	return d.doc, d.bytes, nil
}

// maxReloads is the maximum number of attempts of LoadPersona. An attempt fails if the persona is
// saved between reading its row and reading its document.
const maxReloads = 3

// LoadPersona returns a persona. It returns ErrNotFound if the persona does not exist or the viewer
// may not see it. The document is shared and must not be changed. If reserve is not nil, it is
// called with the document's stored size before the document is loaded. LoadPersona returns the
// error of reserve.
func (s *Store) LoadPersona(ctx context.Context, id, viewer string, reserve func(bytes int64) error) (p Persona, err error) {
	for range maxReloads {
		if p, err = s.loadHead(ctx, id, viewer); err != nil {
			return Persona{}, err
		}
		if reserve != nil {
			size, err := query(ctx, s.database, (*db.Queries).VersionSize, db.VersionSizeParams{PersonaID: id, Version: p.Version})
			if err = ifMissing(err, nil); err == nil { // The version may have been deleted meanwhile.
				err = reserve(size)
			}
			if err != nil {
				return Persona{}, err
			}
		}
		d, err := s.loadDocument(ctx, documentKey{id, p.Version})
		if err == nil {
			p.Doc = *d.doc
			return p, nil
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

package store

import (
	"context"
	"reflect"
	"sync"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// TestDocumentsAreReadOnce: a version is parsed once, for any number of requests. Eight
// simultaneous requests parse it at most as often as parsing may run in parallel.
func TestDocumentsAreReadOnce(t *testing.T) { onEachDatabase(t, checkDocumentsAreReadOnce) }

func checkDocumentsAreReadOnce(t *testing.T, open opener) {
	s := withUsers(t, open(t, Options{}))
	p := publishPersona(t, s, "gate")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			got, err := s.LoadPersona(t.Context(), p.ID, "", nil)
			assert.True(t, err == nil && got.Doc.Name == p.Doc.Name, "%q, %v", got.Doc.Name, err)
		})
	}
	group.Wait()
	parsed := s.documents.parsed.Load()
	assert.True(t, parsed >= 1 && parsed <= maxParsing, "read %d times by eight at once", parsed)
	for range 3 {
		_, err := s.LoadPersona(t.Context(), p.ID, "", nil)
		_, size, err2 := s.LoadVersion(t.Context(), p.ID, p.Version)
		if err != nil || err2 != nil || size < 100 || s.documents.parsed.Load() != parsed {
			t.Errorf("read %d times, %d bytes, %v, %v", s.documents.parsed.Load(), size, err, err2)
		}
	}
	savePersona(t, s, PersonaSave{PersonaID: p.ID, OwnerID: alice.ID, Doc: guardPersona("Two", "gate")})
	if got, err := s.LoadPersona(t.Context(), p.ID, "", nil); err != nil || got.Doc.Name != "Two" {
		t.Errorf("after a save %q, %v", got.Doc.Name, err)
	}
}

// TestNobodyReadsForNobody: a canceled caller neither waits for a document nor has it parsed, and
// no connection is held while all slots are taken.
func TestNobodyReadsForNobody(t *testing.T) { onEachDatabase(t, checkNobodyReadsForNobody) }

func checkNobodyReadsForNobody(t *testing.T, open opener) {
	s := withUsers(t, open(t, Options{}))
	p := publishPersona(t, s, "gate")
	for range maxParsing {
		end := assert.Value(s.documents.waitForTurn(t.Context()))(t)
		defer end()
	}
	ctx, leave := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range 2 * readerConnections() {
		group.Go(func() {
			_, err := s.LoadPersona(ctx, p.ID, "", nil)
			assert.ErrorIs(t, err, context.Canceled, "ended with")
			_, _, err = s.LoadVersion(ctx, p.ID, p.Version)
			assert.ErrorIs(t, err, context.Canceled, "ended with")
		})
	}
	// All others wait, and the database still answers.
	assert.Value(s.LoadPersonaSummary(t.Context(), p.ID, ""))(t)
	leave()
	group.Wait()
	assert.Equal(t, s.documents.parsed.Load(), 0, "read")
}

// TestDocumentsAreBounded: the cache holds at most MaxDocumentBytes.
func TestDocumentsAreBounded(t *testing.T) {
	c := newDocumentCache().kept
	for i := range int64(4) {
		c.Keep(documentKey{"p", i}, &document{}, MaxDocumentBytes/4)
	}
	n, size := c.Size()
	assert.True(t, n == 4 && size == MaxDocumentBytes, "at the limit %d documents of %d bytes", n, size)
	c.Keep(documentKey{"p", 4}, &document{}, 1)
	n, size = c.Size()
	assert.True(t, n == 4 && size == MaxDocumentBytes/4*3+1, "one past the limit %d documents of %d bytes", n, size)
}

// TestHeldBytes: the memory of a document is counted with everything in it.
func TestHeldBytes(t *testing.T) {
	for _, n := range []int{0, 1, 1000} {
		p := &personas.Persona{Name: "ab", Variables: make([]personas.Variable, n)}
		want := int(reflect.TypeFor[personas.Persona]().Size()) + 2 + n*int(reflect.TypeFor[personas.Variable]().Size())
		assert.Equal(t, heldBytes(reflect.ValueOf(p)), want, "%d variables", n)
	}
}

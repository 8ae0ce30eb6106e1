package store

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// TestViewsAreNeverStale: every change clears the cached views, and views are cached per viewer.
func TestViewsAreNeverStale(t *testing.T) { onEachDatabase(t, checkViewsAreNeverStale) }

func checkViewsAreNeverStale(t *testing.T, open opener) {
	s := withUsers(t, open(t, Options{}))
	ctx := t.Context()
	p := savePersona(t, s, PersonaSave{OwnerID: alice.ID, Doc: guardPersona("One", "gate")})
	for range 2 {
		got, err := s.LoadPersonaSummary(ctx, p.ID, alice.ID)
		assert.Must(t, err == nil && got.Name == "One" && !got.Public, "the owner sees %+v, %v", got, err)
		_, err = s.LoadPersonaSummary(ctx, p.ID, bob.ID)
		assert.Must(t, errors.Is(err, ErrNotFound), "a stranger gets %v", err)
	}
	assert.NoError(t, s.PublishPersona(ctx, p.ID, alice.ID))
	for _, viewer := range []string{alice.ID, bob.ID, "", bob.ID} {
		t.Run(fmt.Sprintf("viewer %q", viewer), func(t *testing.T) {
			got, err := s.LoadPersonaSummary(ctx, p.ID, viewer)
			assert.Must(t, err == nil && got.Public, "published, but %q sees %+v, %v", viewer, got, err)
		})
	}
	savePersona(t, s, PersonaSave{PersonaID: p.ID, OwnerID: alice.ID, Doc: guardPersona("Two", "gate")})
	got, _ := s.LoadPersonaSummary(ctx, p.ID, bob.ID)
	assert.Must(t, got.Name == "Two", "after a save it is still %q", got.Name)
	assert.NoError(t, s.DeletePersona(ctx, p.ID, alice.ID))
	for _, viewer := range []string{alice.ID, bob.ID, ""} {
		t.Run(fmt.Sprintf("viewer %q", viewer), func(t *testing.T) {
			_, err := s.LoadPersonaSummary(ctx, p.ID, viewer)
			assert.Must(t, errors.Is(err, ErrNotFound), "deleted, but %q gets %v", viewer, err)
		})
	}
}

// TestViewsOvertaken: an answer from before a change is not kept after it.
func TestViewsOvertaken(t *testing.T) {
	v := &viewCache{}
	of := viewKey{"p", "a"}
	_, age, _ := v.getView(of)
	v.forgetAll()
	v.keepView(of, PersonaSummary{Name: "old"}, age)
	_, _, ok := v.getView(of)
	assert.True(t, !ok, "an overtaken answer is kept")
}

func TestViewsAreBounded(t *testing.T) {
	v := &viewCache{}
	for i := range 3 * maxViews {
		v.keepView(viewKey{fmt.Sprint(i), ""}, PersonaSummary{}, 0)
		assert.Must(t, len(v.kept) <= maxViews, "%d views are kept", len(v.kept))
	}
	for _, over := range []int{0, 1} {
		of := viewKey{"large", fmt.Sprint(over)}
		v.keepView(of, PersonaSummary{IdentityPrompt: strings.Repeat("x", maxViewedText+over)}, 0)
		_, _, ok := v.getView(of)
		assert.Equal(t, ok, over == 0, "%d over the bound: kept", over)
	}
}

// A prompt of the greatest length is remembered too: reading it out of its document
// holds a connection.
func TestViewsOfLongPromptsAreKept(t *testing.T) {
	v, of := &viewCache{}, viewKey{"p", ""}
	v.keepView(of, PersonaSummary{IdentityPrompt: strings.Repeat("\U0001f469", personas.MaxPrompt)}, 0)
	_, _, ok := v.getView(of)
	assert.True(t, ok, "it is not kept")
	for i := range maxViews {
		v.keepView(viewKey{fmt.Sprint(i), ""}, PersonaSummary{IdentityPrompt: strings.Repeat("a", personas.MaxPrompt)}, 0)
		assert.Must(t, v.text <= maxViewedText, "%d bytes are kept", v.text)
	}
}

// TestViewsAtOnce saves while others read: a reader that begins after a save was
// acknowledged never sees less than that save.
func TestViewsAtOnce(t *testing.T) { onEachDatabase(t, checkViewsAtOnce) }

func checkViewsAtOnce(t *testing.T, open opener) {
	s := withUsers(t, open(t, Options{}))
	p := savePersona(t, s, PersonaSave{OwnerID: alice.ID, Doc: guardPersona("0", "gate")})
	var group sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_, _ = s.LoadPersonaSummary(t.Context(), p.ID, alice.ID)
				}
			}
		})
	}
	for i := range 100 {
		name := fmt.Sprint(i)
		savePersona(t, s, PersonaSave{PersonaID: p.ID, OwnerID: alice.ID, Doc: guardPersona(name, "gate")})
		if got, err := s.LoadPersonaSummary(t.Context(), p.ID, alice.ID); err != nil || got.Name != name {
			t.Errorf("saved %q, read %q, %v", name, got.Name, err)
		}
	}
	close(stop)
	group.Wait()
}

package persona

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
)

// TestPruneNamesWhatRemains: the error about an entry that stays in parley.lock says whether the persona was deleted.
func TestPruneNamesWhatRemains(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	defer gone.Close()
	a, _, _ := cmdtest.NewAccess(t, nil)
	c := assert.Value(a.NewClient(gone.URL, service.NoToken, 0))(t)
	s := &service.Service{Client: c, Address: gone.URL, Sessions: settings.NewMemorySessions()}
	o := &saveOptions{Access: a, locks: &lockSet{byPath: map[string]*sharedLock{"l": {err: errors.New("disk full")}}}}
	p := &pruneJob{goneFile: goneFile{lock: "l", file: "a.yaml", entry: personafiles.LockEntry{ID: "p1"}}, name: "Zoe"}
	_, err := o.pruneOne(t.Context(), s, p)
	assert.Equal(t, fmt.Sprint(err), `the persona "Zoe" (p1) was deleted, but the entry of a.yaml is still in parley.lock: disk full`)
	p.why = "another file has the same persona"
	_, err = o.pruneOne(t.Context(), s, p)
	assert.Equal(t, fmt.Sprint(err), "the entry of a.yaml is still in parley.lock: disk full")
}

// TestWatchTriesAgain: a file that could not be saved is saved later, and the reason is said once.
func TestWatchTriesAgain(t *testing.T) {
	t.Parallel()
	real, err := localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, Log: slog.New(slog.DiscardHandler)})
	assert.NoError(t, err)
	defer func() { _ = real.Close() }()
	behind := assert.Value(url.Parse(real.URL()))(t)
	var busy atomic.Bool
	proxy := cmdtest.NewProxyTo(behind)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy.Load() {
			cmdtest.RefuseWith(http.StatusTooManyRequests)(w, r)
			return
		}
		r.Host = behind.Host
		proxy.ServeHTTP(w, r)
	}))
	defer front.Close()
	source := assert.Value(examples.Read("starter"))(t)
	folder := t.TempDir()
	assert.NoError(t, os.WriteFile(filepath.Join(folder, "one.yaml"), source, 0o600))
	a, _, talk := cmdtest.NewAccess(t, nil)
	c := assert.Value(a.NewClient(front.URL, func(context.Context) (string, error) { return real.Token(), nil }, 0))(t)
	k := newPersonaWatcher(a, service.FileWatch{Service: &service.Service{Client: c, Address: front.URL,
		Sessions: settings.NewMemorySessions()}, Paths: []string{folder}, Temporary: true})
	for _, x := range []struct {
		busy           bool
		refused, saved int
	}{{true, 1, 0}, {true, 1, 0}, {false, 1, 1}, {true, 1, 1}} {
		busy.Store(x.busy)
		k.saveChanged(t.Context(), true)
		said := talk.String()
		assert.Must(t, strings.Count(said, "this server refuses") == x.refused && strings.Count(said, "saved "+folder) == x.saved,
			"%+v:\n%s", x, said)
	}
}

package author

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// keeper saves persona files on a running server again whenever they change.
type keeper struct {
	*service.Access
	*service.Service
	paths []string
	// fleeting says that parley.lock is no place to keep what the files are: the
	// address or the data goes with the server.
	fleeting bool
	ids      map[string]string // of files, where there is no parley.lock; first of names
	hashes   map[string]string // of what was saved
	seen     map[string]string // the state in which a file was dealt with
	changing map[string]string // the state that a file had at the last look
	troubles map[string]string // what was last said of a file that is tried again
}

// WatchPersonaFiles saves files, now and whenever they change, until the context ends
// or the function that it gives is called.
func WatchPersonaFiles(ctx context.Context, a *service.Access, s *service.Service, paths []string, fleeting bool) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	other := *s
	other.Client = s.WithPace(client.NewPace(ctx.Done(), nil))
	k := newKeeper(a, &other, paths, fleeting)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		k.keep(ctx, cli.WatchPause)
	}()
	return func() { cancel(); <-ended }
}

func newKeeper(a *service.Access, s *service.Service, paths []string, fleeting bool) *keeper {
	return &keeper{
		Access: a, Service: s, paths: paths, fleeting: fleeting,
		ids: map[string]string{}, hashes: map[string]string{}, seen: map[string]string{}, changing: map[string]string{},
		troubles: map[string]string{},
	}
}

func (k *keeper) keep(ctx context.Context, pause time.Duration) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	k.look(ctx, true)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			k.look(ctx, false)
		}
	}
}

// look deals with the files that have changed since it was done, and have not since
// the last look: an editor may still be writing. At once does not wait for that.
func (k *keeper) look(ctx context.Context, atOnce bool) {
	now := map[string]string{}
	found, err := personafiles.FindFiles(k.paths, personafiles.MayBePersona)
	if err != nil {
		k.ReportFailure(nil, service.Explain(ctx, err))
		return
	}
	var ready []personafiles.Found
	for _, f := range found {
		if personafiles.IsPlayFile(f.Path) {
			continue
		}
		state := stateOf(f.Path)
		now[f.Path] = state
		if state != k.seen[f.Path] && (atOnce || k.changing[f.Path] == state) {
			k.seen[f.Path] = state
			ready = append(ready, f)
		}
	}
	k.changing = now
	k.tellGone(now)
	for _, f := range ready {
		if ctx.Err() == nil {
			k.renew(ctx, f)
		}
	}
}

// stateOf is a text that changes when a file does.
func stateOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "unreadable"
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

// tellGone says which files are not there any more; their personas stay.
func (k *keeper) tellGone(now map[string]string) {
	var gone []string
	for path := range k.seen {
		if _, there := now[path]; !there {
			gone = append(gone, path)
		}
	}
	slices.Sort(gone)
	for _, path := range gone {
		delete(k.seen, path)
		if k.hashes[path] != "" {
			k.tell("%s is gone; its persona stays", terminal.Clean(path))
		}
	}
}

func (k *keeper) tell(format string, args ...any) {
	k.Say("%s %s", k.Now().Format("15:04:05"), fmt.Sprintf(format, args...))
}

// renew saves a file, unless it says what was saved.
func (k *keeper) renew(ctx context.Context, found personafiles.Found) {
	read, err := personafiles.ReadFound(k.Streams, found)
	if read == nil && err == nil {
		return
	}
	f := &saving{name: found.Path, err: err}
	if err == nil {
		f.doc, f.err = personafiles.CheckDocument(k.Streams, read)
	}
	result := ""
	if f.err == nil {
		result, f.err = k.save(ctx, f)
	}
	switch {
	case ctx.Err() != nil:
	case f.err != nil:
		k.fail(found.Path, service.Explain(ctx, f.err))
	case result != "":
		k.tell("%s %s, %s (%s)", result, terminal.Clean(f.name), terminal.Clean(f.saved.Name), f.saved.ID)
	}
	if f.err == nil {
		delete(k.troubles, found.Path)
	}
}

// fail says why a file was not saved, once. One that is not to blame, as when the
// disk is full or the service busy, is tried again at the next look.
func (k *keeper) fail(path string, why *cli.Failure) {
	passing := why.Code == cli.ExitTrouble || why.Code == cli.ExitRateLimited
	if passing {
		delete(k.seen, path)
	}
	if said := why.Err.Error(); !passing || k.troubles[path] != said {
		k.troubles[path] = said
		k.ReportFailure(nil, why)
	}
}

// save saves a file as what it is: by parley.lock, or else as what this server was
// told before, or as the persona of its name. One that is gone is saved anew.
func (k *keeper) save(ctx context.Context, f *saving) (result string, err error) {
	hash, err := contentHash(f.doc)
	if err != nil || hash == k.hashes[f.name] {
		return "", err
	}
	id := ""
	if k.fleeting {
		if id, err = k.known(ctx, f); err != nil {
			return "", err
		}
	}
	result, err = k.saveAs(ctx, f, id, false)
	if statusOf(err) == 404 && f.aim.id != "" {
		result, err = k.saveAs(ctx, f, "", true)
	}
	if err == nil {
		k.ids[f.name], k.hashes[f.name] = f.saved.ID, hash
	}
	return result, err
}

func (k *keeper) saveAs(ctx context.Context, f *saving, id string, anew bool) (string, error) {
	o := &saveOptions{Access: k.Access, noLock: k.fleeting, id: id, anew: anew}
	defer func() { o.locks.release() }()
	if err := o.take(ctx, k.Service, []*saving{f}); err != nil {
		return "", err
	}
	if f.err != nil {
		return "", f.err
	}
	return o.saveFile(ctx, k.Service, f)
}

// known is the id of a file of which no parley.lock tells.
func (k *keeper) known(ctx context.Context, f *saving) (string, error) {
	if id := k.ids[f.name]; id != "" {
		return id, nil
	}
	mine, err := k.Personas(ctx, client.PersonaList{Mine: true, PublicOnly: new(false), Limit: wire.MaxListLimit})
	if err != nil {
		return "", err
	}
	for _, p := range mine {
		if strings.TrimSpace(p.Name) == strings.TrimSpace(f.doc.Name) && !k.taken(p.ID) {
			return p.ID, nil
		}
	}
	return "", nil
}

func (k *keeper) taken(id string) bool {
	for _, other := range k.ids {
		if other == id {
			return true
		}
	}
	return false
}

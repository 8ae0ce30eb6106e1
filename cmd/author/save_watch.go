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
	"github.com/parley-npc/parley/tui"
)

// personaWatcher saves persona files on a running server again whenever they change.
type personaWatcher struct {
	*service.Access
	*service.Service
	paths []string
	// temporary says that parley.lock is no place to keep what the files are: the
	// address or the data goes with the server.
	temporary     bool
	ids           map[string]string // of files, where there is no parley.lock; first of names
	hashes        map[string]string // of what was saved
	handledStates map[string]string // the state in which a file was dealt with
	lastStates    map[string]string // the state that a file had at the last look
	troubles      map[string]string // what was last said of a file that is tried again
}

// WatchPersonaFiles saves files, now and whenever they change, until the context ends
// or the function that it gives is called.
func WatchPersonaFiles(ctx context.Context, access *service.Access, s *service.Service, paths []string, temporary bool) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	other := *s
	other.Client = s.WithPace(client.NewPace(ctx.Done(), nil))
	k := newPersonaWatcher(access, &other, paths, temporary)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		k.watchFiles(ctx, cli.WatchPause)
	}()
	return func() { cancel(); <-ended }
}

func newPersonaWatcher(access *service.Access, s *service.Service, paths []string, temporary bool) *personaWatcher {
	return &personaWatcher{
		Access: access, Service: s, paths: paths, temporary: temporary,
		ids: map[string]string{}, hashes: map[string]string{}, handledStates: map[string]string{}, lastStates: map[string]string{},
		troubles: map[string]string{},
	}
}

func (k *personaWatcher) watchFiles(ctx context.Context, pause time.Duration) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	k.saveChanged(ctx, true)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			k.saveChanged(ctx, false)
		}
	}
}

// saveChanged deals with the files that have changed since it was done, and have not since
// the last look: an editor may still be writing. At once does not wait for that.
func (k *personaWatcher) saveChanged(ctx context.Context, atOnce bool) {
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
		if state != k.handledStates[f.Path] && (atOnce || k.lastStates[f.Path] == state) {
			k.handledStates[f.Path] = state
			ready = append(ready, f)
		}
	}
	k.lastStates = now
	k.sayGone(now)
	for _, f := range ready {
		if ctx.Err() == nil {
			k.saveFound(ctx, f)
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

// sayGone says which files are not there any more; their personas stay.
func (k *personaWatcher) sayGone(now map[string]string) {
	var gone []string
	for path := range k.handledStates {
		if _, there := now[path]; !there {
			gone = append(gone, path)
		}
	}
	slices.Sort(gone)
	for _, path := range gone {
		delete(k.handledStates, path)
		if k.hashes[path] != "" {
			k.sayWithTime("%s is gone; its persona stays", tui.Clean(path))
		}
	}
}

func (k *personaWatcher) sayWithTime(format string, args ...any) {
	k.Say("%s %s", k.Now().Format("15:04:05"), fmt.Sprintf(format, args...))
}

// saveFound saves a file, unless it says what was saved.
func (k *personaWatcher) saveFound(ctx context.Context, found personafiles.Found) {
	read, err := personafiles.ReadFound(k.Streams, found)
	if read == nil && err == nil {
		return
	}
	f := &saveJob{name: found.Path, err: err}
	if err == nil {
		f.doc, f.err = personafiles.CheckDocument(k.Streams, read)
	}
	result := ""
	if f.err == nil {
		result, f.err = k.saveOrRecreate(ctx, f)
	}
	switch {
	case ctx.Err() != nil:
	case f.err != nil:
		k.reportOnce(found.Path, service.Explain(ctx, f.err))
	case result != "":
		k.sayWithTime("%s %s, %s (%s)", result, tui.Clean(f.name), tui.Clean(f.saved.Name), f.saved.ID)
	}
	if f.err == nil {
		delete(k.troubles, found.Path)
	}
}

// reportOnce says why a file was not saved, once. One that is not to blame, as when the
// disk is full or the service busy, is tried again at the next look.
func (k *personaWatcher) reportOnce(path string, why *cli.Failure) {
	passing := why.Code == cli.ExitTrouble || why.Code == cli.ExitRateLimited
	if passing {
		delete(k.handledStates, path)
	}
	if said := why.Err.Error(); !passing || k.troubles[path] != said {
		k.troubles[path] = said
		k.ReportFailure(nil, why)
	}
}

// saveOrRecreate saves a file as what it is: by parley.lock, or else as what this server was
// told before, or as the persona of its name. One that is gone is saved anew.
func (k *personaWatcher) saveOrRecreate(ctx context.Context, f *saveJob) (result string, err error) {
	hash, err := contentHash(f.doc)
	if err != nil || hash == k.hashes[f.name] {
		return "", err
	}
	id := ""
	if k.temporary {
		if id, err = k.findKnownID(ctx, f); err != nil {
			return "", err
		}
	}
	result, err = k.saveAs(ctx, f, id, false)
	if statusOf(err) == 404 && f.target.id != "" {
		result, err = k.saveAs(ctx, f, "", true)
	}
	if err == nil {
		k.ids[f.name], k.hashes[f.name] = f.saved.ID, hash
	}
	return result, err
}

func (k *personaWatcher) saveAs(ctx context.Context, f *saveJob, id string, anew bool) (string, error) {
	o := &saveOptions{Access: k.Access, noLock: k.temporary, id: id, asNew: anew}
	defer func() { o.locks.releaseAll() }()
	if err := o.assignTargets(ctx, k.Service, []*saveJob{f}); err != nil {
		return "", err
	}
	if f.err != nil {
		return "", f.err
	}
	return o.saveFile(ctx, k.Service, f)
}

// findKnownID is the id of a file of which no parley.lock tells.
func (k *personaWatcher) findKnownID(ctx context.Context, f *saveJob) (string, error) {
	if id := k.ids[f.name]; id != "" {
		return id, nil
	}
	mine, err := k.Personas(ctx, client.PersonaList{Mine: true, PublicOnly: new(false), Limit: wire.MaxListLimit})
	if err != nil {
		return "", err
	}
	for _, p := range mine {
		if strings.TrimSpace(p.Name) == strings.TrimSpace(f.doc.Name) && !k.isClaimed(p.ID) {
			return p.ID, nil
		}
	}
	return "", nil
}

func (k *personaWatcher) isClaimed(id string) bool {
	for _, other := range k.ids {
		if other == id {
			return true
		}
	}
	return false
}

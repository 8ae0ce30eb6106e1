package persona

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// A personaWatcher saves persona files when they change. Its maps have file names as keys.
type personaWatcher struct {
	*service.Access
	service.FileWatch
	docs          map[string]personas.Persona // as last saved
	ids           map[string]string           // of personas, without parley.lock
	hashes        map[string]string           // of the last saved content
	handledStates map[string]string           // FileState when the file was last processed
	lastStates    map[string]string           // FileState at the last check
	troubles      map[string]string           // last reported failure of a file that is retried
	portraits     map[string]string           // file names
}

// WatchPersonaFiles saves files now and whenever they change, until stop is called.
func WatchPersonaFiles(ctx context.Context, access *service.Access, watch service.FileWatch) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	other := *watch.Service
	other.Client = other.WithPace(client.NewPace(ctx.Done(), nil))
	watch.Service = &other
	k := newPersonaWatcher(access, watch)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		k.watchFiles(ctx, cli.WatchPause)
	}()
	return func() { cancel(); <-ended }
}

func newPersonaWatcher(access *service.Access, watch service.FileWatch) *personaWatcher {
	return &personaWatcher{
		Access: access, FileWatch: watch, docs: map[string]personas.Persona{},
		ids: map[string]string{}, hashes: map[string]string{}, handledStates: map[string]string{}, lastStates: map[string]string{},
		troubles: map[string]string{}, portraits: map[string]string{},
	}
}

func (w *personaWatcher) watchFiles(ctx context.Context, pause time.Duration) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	w.saveChanged(ctx, true)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.saveChanged(ctx, false)
		}
	}
}

// saveChanged saves changed files. Unless atOnce is set, it skips a file that changed after the
// last check, because an editor may still be writing.
func (w *personaWatcher) saveChanged(ctx context.Context, atOnce bool) {
	now := map[string]string{}
	found, err := personafiles.FindFiles(w.Paths, personafiles.MayBePersona)
	if err != nil {
		w.ReportFailure(nil, service.Explain(ctx, err))
		return
	}
	var ready []personafiles.Found
	for _, f := range found {
		if personafiles.IsPlayFile(f.Path) {
			continue
		}
		state := w.stateOfPersona(f.Path)
		now[f.Path] = state
		if state != w.handledStates[f.Path] && (atOnce || w.lastStates[f.Path] == state) {
			w.handledStates[f.Path] = state
			ready = append(ready, f)
		}
	}
	w.lastStates = now
	w.sayGone(now)
	for _, f := range ready {
		if ctx.Err() == nil {
			w.saveFound(ctx, f)
			handled, is := w.handledStates[f.Path] // A file to retry lacks a handled state.
			if state := w.stateOfPersona(f.Path); is && strings.HasPrefix(state, handled) {
				w.handledStates[f.Path] = state // Only the portrait's state is new.
			}
		}
	}
}

func (w *personaWatcher) stateOfPersona(path string) string {
	state := cli.FileState(path)
	if picture := w.portraits[path]; picture != "" {
		state += ", " + cli.FileState(picture)
	}
	return state
}

func (w *personaWatcher) sayGone(now map[string]string) {
	var gone []string
	for path := range w.handledStates {
		if _, there := now[path]; !there {
			gone = append(gone, path)
		}
	}
	slices.Sort(gone)
	for _, path := range gone {
		delete(w.handledStates, path)
		if w.hashes[path] != "" {
			w.sayWithTime("%s is missing; its persona is not deleted", terminal.Clean(path))
		}
	}
}

func (w *personaWatcher) sayWithTime(format string, args ...any) {
	w.Say("%s %s", w.Now().Format("15:04:05"), fmt.Sprintf(format, args...))
}

func (w *personaWatcher) saveFound(ctx context.Context, found personafiles.Found) {
	read, err := personafiles.ReadFound(w.Streams, found, personafiles.CheckSource)
	if read == nil && err == nil {
		return
	}
	f := &saveJob{name: found.Path, err: err}
	if err == nil {
		w.portraits[found.Path] = read.FindPortrait()
		f.doc, f.err = w.checkFile(read)
	}
	result := ""
	if f.err == nil {
		result, f.err = w.saveOrRecreate(ctx, f)
	}
	switch {
	case ctx.Err() != nil:
	case f.err != nil:
		w.reportOnce(found.Path, service.Explain(ctx, f.err))
	case result != "":
		w.sayWithTime("%s %s, %s (%s)", result, terminal.Clean(f.name), terminal.Clean(f.saved.Name), f.saved.ID)
		w.reportConversations(ctx, f)
	}
	if f.err == nil {
		delete(w.troubles, found.Path)
		w.docs[f.name] = f.doc
	}
}

func (w *personaWatcher) checkFile(f *personafiles.File) (personas.Persona, error) {
	if w.Temporary {
		return personafiles.CheckPlayable(w.Streams, f)
	}
	policy, err := readPolicy(w.Environment)
	if err != nil {
		return personas.Persona{}, err
	}
	return policy.CheckDocument(w.Streams, f)
}

// reportOnce prints each reason once. It tries the file again later if the cause is elsewhere, such
// as a full disk or a busy service.
func (w *personaWatcher) reportOnce(path string, why *cli.Failure) {
	passing := why.Code == cli.ExitTrouble || why.Code == cli.ExitRateLimited
	if passing {
		delete(w.handledStates, path)
	}
	if said := why.Err.Error(); !passing || w.troubles[path] != said {
		w.troubles[path] = said
		w.ReportFailure(nil, why)
	}
}

// saveOrRecreate saves a file as its persona, or as a new one if the persona was deleted. A
// temporary server has no parley.lock, so findKnownID finds the persona.
func (w *personaWatcher) saveOrRecreate(ctx context.Context, f *saveJob) (result string, err error) {
	hash, err := contentHash(f.doc)
	if err != nil || hash == w.hashes[f.name] {
		return "", err
	}
	id := ""
	if w.Temporary {
		if id, err = w.findKnownID(ctx, f); err != nil {
			return "", err
		}
	}
	result, err = w.saveAs(ctx, f, id, false)
	if wire.ErrorStatus(err) == http.StatusNotFound && f.target.id != "" {
		result, err = w.saveAs(ctx, f, "", true)
	}
	if err == nil {
		w.ids[f.name], w.hashes[f.name] = f.saved.ID, hash
	}
	return result, err
}

func (w *personaWatcher) saveAs(ctx context.Context, f *saveJob, id string, anew bool) (string, error) {
	o := &saveOptions{Access: w.Access, noLock: w.Temporary, id: id, asNew: anew, watching: true}
	defer func() { o.locks.releaseAll() }()
	if err := o.assignTargets(ctx, w.Service, []*saveJob{f}); err != nil {
		return "", err
	}
	if f.err != nil {
		return "", f.err
	}
	return o.saveFile(ctx, w.Service, f)
}

func (w *personaWatcher) findKnownID(ctx context.Context, f *saveJob) (string, error) {
	if id := w.ids[f.name]; id != "" {
		return id, nil
	}
	mine, err := w.ListOwnNamed(ctx, f.doc.Name)
	if err != nil {
		return "", err
	}
	claimed := slices.Collect(maps.Values(w.ids))
	for _, p := range mine {
		if !slices.Contains(claimed, p.ID) {
			return p.ID, nil
		}
	}
	return "", nil
}

const maxToldConversations = 10

func (w *personaWatcher) reportConversations(ctx context.Context, f *saveJob) {
	old, known := w.docs[f.name]
	if w.Conversations == nil || !known {
		return
	}
	changes, same, err := w.compareConversations(ctx, &old, f)
	if err != nil && ctx.Err() == nil {
		w.sayWithTime("open conversations could not be compared: %v", service.Explain(ctx, err).Err)
	}
	if same+len(changes) > 0 {
		w.sayWithTime("open conversations stay in their version; in the new version, %d would go the same way and %d would differ", same, len(changes))
	}
	for _, change := range changes[:min(len(changes), maxToldConversations)] {
		w.Say("  %s", terminal.Clean(change))
	}
	if more := len(changes) - maxToldConversations; more > 0 {
		w.Say("  and %d more", more)
	}
}

func (w *personaWatcher) compareConversations(
	ctx context.Context, old *personas.Persona, f *saveJob,
) (changes []string, same int, err error) {
	me, err := w.Me(ctx)
	if err != nil {
		return nil, 0, err
	}
	talks, err := w.Conversations(ctx, f.saved.ID, me.ID)
	if err != nil {
		return nil, 0, err
	}
	version, err := playtest.NewVersion(&f.doc, w.Judge)
	if err != nil {
		return nil, 0, err
	}
	for i := range talks {
		d, err := version.FindDifference(ctx, old, &talks[i])
		switch {
		case err != nil:
			return changes, same, err
		case d.Change != "":
			changes = append(changes, talks[i].Machine+", "+d.Change)
		default:
			same++
		}
	}
	return changes, same, nil
}

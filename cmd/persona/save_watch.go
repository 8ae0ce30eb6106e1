package persona

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type personaWatcher struct {
	*service.Access
	service.FileWatch
	files map[string]*watchedFile // by name
}

type watchedFile struct {
	last     string // FileState at the last check
	handled  string // FileState when the file was last processed, or "" to try again
	trouble  string
	portrait string
	saved    *personas.Persona // nil before the first save
	id       string            // of the persona, without parley.lock
	hash     string
}

// WatchPersonaFiles saves files at the start and after each change, until stop is called.
func WatchPersonaFiles(ctx context.Context, access *service.Access, watch service.FileWatch) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	other := *watch.Service
	other.Client = other.WithPace(client.NewPace(ctx.Done(), nil))
	watch.Service = &other
	w := newPersonaWatcher(access, watch)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.saveChanged(ctx, true)
		cli.Poll(ctx, cli.WatchPause, func() { w.saveChanged(ctx, false) })
	}()
	return func() { cancel(); <-ended }
}

func newPersonaWatcher(access *service.Access, watch service.FileWatch) *personaWatcher {
	return &personaWatcher{Access: access, FileWatch: watch, files: map[string]*watchedFile{}}
}

// saveChanged skips a changing file, because an editor may still be writing.
func (w *personaWatcher) saveChanged(ctx context.Context, atOnce bool) {
	found, err := personafiles.FindFiles(w.Paths, personafiles.MayBePersona)
	if err != nil {
		w.ReportFailure(nil, service.Explain(ctx, err))
		return
	}
	found = slices.DeleteFunc(found, func(f personafiles.Found) bool { return personafiles.IsPlayFile(f.Path) })
	var ready []personafiles.Found
	for _, f := range found {
		file := w.files[f.Path]
		if file == nil {
			file = &watchedFile{}
			w.files[f.Path] = file
		}
		state := file.state(f.Path)
		if state != file.handled && (atOnce || file.last == state) {
			file.handled = state
			ready = append(ready, f)
		}
		file.last = state
	}
	w.sayGone(found)
	for _, f := range ready {
		if ctx.Err() == nil {
			w.saveFound(ctx, f)
			file := w.files[f.Path]
			if state := file.state(f.Path); file.handled != "" && strings.HasPrefix(state, file.handled) {
				file.handled = state // only the state of the portrait is new
			}
		}
	}
}

func (f *watchedFile) state(path string) string {
	state := cli.FileState(path)
	if f.portrait != "" {
		state += ", " + cli.FileState(f.portrait)
	}
	return state
}

func (w *personaWatcher) sayGone(found []personafiles.Found) {
	for _, path := range slices.Sorted(maps.Keys(w.files)) {
		file := w.files[path]
		if file.last == "" || slices.ContainsFunc(found, func(f personafiles.Found) bool { return f.Path == path }) {
			continue
		}
		file.last, file.handled = "", ""
		if file.saved != nil {
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
	file, job := w.files[found.Path], &saveJob{name: found.Path, err: err}
	if err == nil {
		file.portrait = read.FindPortrait()
		job.doc, job.err = w.checkFile(read)
	}
	result := ""
	if job.err == nil {
		result, job.err = w.saveOrRecreate(ctx, file, job)
	}
	switch {
	case ctx.Err() != nil:
	case job.err != nil:
		w.reportOnce(file, service.Explain(ctx, job.err))
	case result != "":
		w.sayWithTime("%s %s, %s (%s)", result, terminal.Clean(job.name), terminal.Clean(job.saved.Name), job.saved.ID)
		w.reportConversations(ctx, file.saved, job)
	}
	if job.err == nil {
		file.trouble, file.saved = "", &job.doc
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

// reportOnce retries a file after a temporary failure, such as a full disk.
func (w *personaWatcher) reportOnce(file *watchedFile, why *cli.Failure) {
	temporary := why.Code == cli.ExitTrouble || why.Code == cli.ExitRateLimited
	if temporary {
		file.handled = ""
	}
	if message := why.Err.Error(); !temporary || file.trouble != message {
		file.trouble = message
		w.ReportFailure(nil, why)
	}
}

func (w *personaWatcher) saveOrRecreate(ctx context.Context, file *watchedFile,
	job *saveJob) (result string, err error) {
	hash, err := contentHash(job.doc)
	if err != nil || hash == file.hash {
		return "", err
	}
	id := ""
	if w.Temporary {
		if id, err = w.findKnownID(ctx, file.id, job.doc.Name); err != nil {
			return "", err
		}
	}
	result, err = w.saveAs(ctx, job, id, false)
	if wire.ErrorStatus(err) == http.StatusNotFound && job.target.id != "" {
		result, err = w.saveAs(ctx, job, "", true)
	}
	if err == nil {
		file.id, file.hash = job.saved.ID, hash
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

func (w *personaWatcher) findKnownID(ctx context.Context, id, name string) (string, error) {
	if id != "" {
		return id, nil
	}
	mine, err := w.ListOwnNamed(ctx, name)
	if err != nil {
		return "", err
	}
	for _, f := range w.files {
		mine = slices.DeleteFunc(mine, func(p wire.ListedPersona) bool { return p.ID == f.id })
	}
	if len(mine) == 0 {
		return "", nil
	}
	return mine[0].ID, nil
}

const maxToldConversations = 10

func (w *personaWatcher) reportConversations(ctx context.Context, old *personas.Persona, f *saveJob) {
	if w.Conversations == nil || old == nil {
		return
	}
	changes, same, err := w.compareConversations(ctx, old, f)
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

func (w *personaWatcher) compareConversations(ctx context.Context, old *personas.Persona,
	f *saveJob) (changes []string, same int, err error) {
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

package chat

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
)

type fileWatch struct {
	*service.Access
	server   *service.OwnServer
	path     string
	id       string
	doc      personas.Persona // last saved on the server
	machine  string           // unlocked by --machine, or ""
	judge    playtest.Judge   // nil for a slow model, then messages keep their decisions
	portrait string
	troubled bool // the file could not be played at the last check
	edits    chan conversation.Edit
}

// followFile completes the place of a file with the edit since the last chat and, with --watch, with
// the later edits.
func (o *chatOptions) followFile(ctx context.Context, p *place, doc *personas.Persona, wasLocked bool,
	stateBefore string) error {
	w := &fileWatch{Access: o.Access, server: p.own, path: p.file, id: p.persona, doc: *doc}
	w.edits = make(chan conversation.Edit, 1)
	if wasLocked {
		w.machine = o.machine
	}
	if p.llm.IsBuiltIn() {
		w.judge = playtest.BuiltInJudge()
	}
	if !o.newSession {
		if err := w.noteEdited(ctx, p); err != nil {
			return err
		}
	}
	if !o.watch {
		return nil
	}
	if f, err := personafiles.ParsePersonaFile(w.Streams, w.path); err == nil {
		w.portrait = f.FindPortrait()
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.run(ctx, cli.WatchPause, stateBefore)
	}()
	p.edits, p.leave = w.edits, func() {
		cancel()
		<-ended
		w.server.Stop()
	}
	return nil
}

func (w *fileWatch) noteEdited(ctx context.Context, p *place) error {
	old, isEdited := w.server.Replaced[w.id]
	known, hasPlayed, err := w.server.Sessions.Recall(w.server.Address, w.id)
	if err != nil {
		return nil //nolint:nilerr // The chat itself reports a memory that cannot be read.
	}
	if !isEdited || !hasPlayed {
		return nil
	}
	full, err := w.server.FullPersona(ctx, w.id)
	if err != nil {
		return err
	}
	isThere := slices.ContainsFunc(full.Machines, func(m wire.Machine) bool { return m.ID == known.MachineID })
	if known.MachineID != "" && !isThere {
		p.partGone = true
		return nil
	}
	edit, err := w.compareWith(&old)
	if err == nil {
		p.edits = w.edits
		w.tell(edit)
	}
	return err
}

// run waits while the file changes between two polls, because an editor may still be writing.
func (w *fileWatch) run(ctx context.Context, pause time.Duration, handled string) {
	last := handled
	cli.Poll(ctx, pause, func() {
		now := w.state()
		if now != handled && now == last {
			handled = now
			if edit := w.read(ctx); edit != nil {
				w.tell(edit)
			}
		}
		last = now
	})
}

func (w *fileWatch) tell(edit *conversation.Edit) {
	select {
	case <-w.edits:
	default:
	}
	w.edits <- *edit // never blocks: the buffer is empty, and this is the only sender
}

func (w *fileWatch) state() string {
	if w.portrait == "" {
		return cli.FileState(w.path)
	}
	return cli.FileState(w.path) + ", " + cli.FileState(w.portrait)
}

func (w *fileWatch) read(ctx context.Context) *conversation.Edit {
	f, err := personafiles.ReadPersonaFile(w.Streams, w.path)
	if err != nil {
		return w.trouble(describeError(w.Access, err))
	}
	w.portrait = f.FindPortrait()
	if refusal := f.FindRefusal(); refusal != nil {
		return w.trouble(personafiles.FormatOneLine(*refusal))
	}
	doc := f.Doc
	openMachine(&doc, w.machine)
	if same, err := doc.IsSame(&w.doc); err == nil && same && !w.troubled {
		return nil
	}
	old := w.doc
	w.doc = doc
	edit, err := w.compareWith(&old)
	if err == nil {
		_, _, err = w.server.SavePersona(ctx, w.id, doc, "")
	}
	if err != nil {
		w.doc = old
		return w.trouble(describeError(w.Access, err))
	}
	w.troubled = false
	return edit
}

func (w *fileWatch) compareWith(old *personas.Persona) (*conversation.Edit, error) {
	doc := w.doc // later saves change w.doc
	version, err := playtest.NewVersion(&doc, w.judge)
	if err != nil {
		return nil, err
	}
	compare := func(ctx context.Context, machine string, h wire.History) (playtest.Difference, error) {
		talk := playtest.FromHistory(w.path, machine, cli.ValueOr(h.Outcome, ""), h.Messages)
		return version.FindDifference(ctx, old, &talk)
	}
	return &conversation.Edit{Compare: compare}, nil
}

func (w *fileWatch) trouble(why string) *conversation.Edit {
	w.troubled = true
	return &conversation.Edit{Trouble: why}
}

func openMachine(doc *personas.Persona, key string) {
	if i := slices.IndexFunc(doc.Machines, func(m personas.Machine) bool { return m.Key == key }); i >= 0 {
		doc.Machines[i].IsEntry = true
	}
}

// openAskedMachine makes the machine of --machine an entry machine, and reports whether it was locked.
func (o *chatOptions) openAskedMachine(doc *personas.Persona) (wasLocked bool, err error) {
	if o.machine == "" {
		return false, nil
	}
	rules, err := engine.CompilePersona(doc)
	if err != nil {
		return false, err
	}
	if rules.Machine(o.machine) == nil {
		return false, cli.UsageError("--machine %s: unknown machine; the machines of %s are %s", o.machine, o.named,
			strings.Join(rules.Keys(), ", "))
	}
	if rules.IsAvailable(o.machine, nil) {
		return false, nil
	}
	if o.save {
		return false, cli.UsageError("--machine %s: this machine is locked at the start, so the chat cannot be saved: omit --save", o.machine)
	}
	openMachine(doc, o.machine)
	return true, nil
}

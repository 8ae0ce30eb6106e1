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
	"github.com/parley-npc/parley/personas/replay"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
)

// fileWatch reports the saves of a persona file to the chat that plays it.
type fileWatch struct {
	*service.Access
	server *service.OwnServer
	path   string
	id     string           // of the persona
	doc    personas.Persona // as it was saved on the server last
	// machine is the one that --machine opened, or "".
	machine string
	// judge judges the player's messages again; nil keeps the verdicts, because a model is slow.
	judge    replay.Judge
	portrait string // the picture that the file names, or ""
	troubled bool   // the file could not be played when it was looked at last
	edits    chan conversation.Edit
}

// followFile reports to the chat that the persona file was edited since the player's last message and,
// with --watch, each save. begun is the state of the file before it was read; leave stops the watch and
// the server.
func (o *chatOptions) followFile(
	ctx context.Context, server *service.OwnServer, id string, doc *personas.Persona, begun string,
) (leave func(), err error) {
	w := &fileWatch{Access: o.Access, server: server, path: o.named, id: id, doc: *doc}
	w.edits = make(chan conversation.Edit, 1)
	if o.startsLocked {
		w.machine = o.machine
	}
	if o.llm.IsBuiltIn() {
		w.judge = replay.BuiltIn()
	}
	if err := o.noteEdited(ctx, w); err != nil {
		return nil, err
	}
	if !o.watch {
		return server.Stop, nil
	}
	if f, err := personafiles.ParsePersonaFile(o.Streams, o.named); err == nil {
		w.portrait = f.FindPortrait()
	}
	o.edits = w.edits
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.run(ctx, cli.WatchPause, begun)
	}()
	return func() {
		cancel()
		<-ended
		server.Stop()
	}, nil
}

// noteEdited reports to the chat that the persona file was edited since the player's last message. If
// the player's part was removed from it, the chat begins a new session.
func (o *chatOptions) noteEdited(ctx context.Context, w *fileWatch) error {
	old, isEdited := w.server.Replaced[w.id]
	known, hasPlayed, err := w.server.Sessions.Recall(w.server.Address, w.id)
	if err != nil {
		return nil //nolint:nilerr // The chat itself reports a memory that cannot be read.
	}
	if !isEdited || !hasPlayed || o.newSession {
		return nil
	}
	full, err := w.server.FullPersona(ctx, w.id)
	if err != nil {
		return err
	}
	isThere := slices.ContainsFunc(full.Machines, func(m wire.Machine) bool { return m.ID == known.MachineID })
	if known.MachineID != "" && !isThere {
		o.newSession, o.partGone = true, true
		return nil
	}
	edit, err := w.compareWith(&old)
	if err == nil {
		o.edits = w.edits
		w.tell(edit)
	}
	return err
}

// run polls the file until the context ends, and reports the newest save to the chat. It waits while
// the file changes between two polls, because an editor may still be writing it. handled is the state
// of the file that was read.
func (w *fileWatch) run(ctx context.Context, pause time.Duration, handled string) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for last := handled; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := w.state()
		if now != handled && now == last {
			handled = now
			if edit := w.read(ctx); edit != nil {
				w.tell(edit)
			}
		}
		last = now
	}
}

// tell sends the chat an edit, in place of one that it has not received.
func (w *fileWatch) tell(edit *conversation.Edit) {
	select {
	case <-w.edits:
	default:
	}
	w.edits <- *edit // The channel has room for one, and this is the only sender.
}

// state returns a text that changes when the file does, or its picture.
func (w *fileWatch) state() string {
	if w.portrait == "" {
		return cli.FileState(w.path)
	}
	return cli.FileState(w.path) + ", " + cli.FileState(w.portrait)
}

// read saves the file on the server and returns the edit, or the reason why it cannot be played. It
// returns nil if the document has not changed.
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

// compareWith returns the edit that has led from an old document to w.doc.
func (w *fileWatch) compareWith(old *personas.Persona) (*conversation.Edit, error) {
	doc := w.doc // Later saves change w.doc.
	version, err := replay.NewVersion(&doc, w.judge)
	if err != nil {
		return nil, err
	}
	compare := func(ctx context.Context, machine string, h wire.History) (replay.Difference, error) {
		talk := replay.FromHistory(w.path, machine, cli.ValueOr(h.Outcome, ""), h.Messages)
		return version.FindDifference(ctx, old, &talk)
	}
	return &conversation.Edit{Compare: compare}, nil
}

func (w *fileWatch) trouble(why string) *conversation.Edit {
	w.troubled = true
	return &conversation.Edit{Trouble: why}
}

// openMachine lets players begin in a machine of a document, if it has it.
func openMachine(doc *personas.Persona, key string) {
	if i := slices.IndexFunc(doc.Machines, func(m personas.Machine) bool { return m.Key == key }); i >= 0 {
		doc.Machines[i].IsEntry = true
	}
}

// openAskedMachine lets a chat with a persona file begin in the machine of --machine, as if it were
// unlocked. It refuses a machine that the file does not have.
func (o *chatOptions) openAskedMachine(doc *personas.Persona) error {
	if o.machine == "" {
		return nil
	}
	rules, err := engine.CompilePersona(doc)
	if err != nil {
		return err
	}
	if rules.Machine(o.machine) == nil {
		return cli.UsageError("--machine %s: the machines of %s are %s", o.machine, o.named, strings.Join(rules.Keys(), ", "))
	}
	if rules.IsAvailable(o.machine, nil) {
		return nil
	}
	if o.save {
		return cli.UsageError("--machine %s: a chat that begins in a closed part is not kept: leave out --save", o.machine)
	}
	o.startsLocked = true
	openMachine(doc, o.machine)
	return nil
}

// checkWatch refuses --watch without a persona file.
func (o *chatOptions) checkWatch(file bool) error {
	if o.watch && !file {
		return cli.UsageError("--watch follows a persona file: parley chat FILE --watch")
	}
	return nil
}

package lines

import (
	"context"
	"errors"
	"time"

	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// openingDelay is how long an opening may take from its first words to its last before its words
// are printed as they come. An opening that is complete by then is printed after the session's
// other data.
const openingDelay = 300 * time.Millisecond

// heardOpening is the part of a session that was printed before it was open: the first words, and
// the aim.
type heardOpening struct{ begun, aim bool }

// openMachine makes another session the present one.
func (p *player) openMachine(machine string, by conversation.MachineOpener) error {
	o := &opener{player: p, user: p.User, machine: machine, by: by, introduce: func(*conversation.Machine) {}}
	return o.openSession()
}

// opener opens a machine's session and makes it the present one. It calls introduce with the
// machine, nil while only the service knows it, before it prints anything of the session.
type opener struct {
	*player
	user      *conversation.UserSession
	machine   string
	by        conversation.MachineOpener
	introduce func(*conversation.Machine)
	entered   *conversation.Machine // the one that is opened; nil where only the service knows

	held  string           // what has come in the moment before words are said
	over  <-chan time.Time // that moment is over; nil before the first words
	heard heardOpening
}

// openSession opens the session. For a person it prints the opening as it comes.
func (o *opener) openSession() error {
	open, present := o.streamOpening, o.User
	if !o.opts.Interactive {
		open = func() (*conversation.Session, error) { return o.by(o.ctx, o.user, o.machine, nil) }
	}
	sc, err := open()
	if err != nil {
		o.User = present
		return err
	}
	if !o.heard.begun {
		o.introduce(sc.Machine)
	}
	o.showSession(sc, o.heard)
	return nil
}

// streamOpening opens the machine, and prints the opening as it comes if it is incomplete a moment
// after its first words. A line that is typed meanwhile becomes the next one, unless it is the stop
// word.
func (o *opener) streamOpening() (*conversation.Session, error) {
	ctx, cancel := context.WithCancelCause(o.ctx)
	defer cancel(nil)
	words, done, waits := make(chan string), make(chan error, 1), make(chan wire.WaitNotice, 1)
	asking := wire.WithWaitNotice(ctx, func(n wire.WaitNotice) { passNotice(waits, n) })
	var sc *conversation.Session
	o.entered = o.user.MachineToEnter(o.machine) // Now: entering changes what it is asked of.
	go func() {
		var err error
		sc, err = o.by(asking, o.user, o.machine, func(piece string) error { return passPiece(ctx, words, piece) })
		done <- err
	}()
	late := o.newWaitTeller(o.user.Persona.CharacterName() + " is about to speak")
	for {
		select {
		case piece := <-words:
			late.stop()
			o.addPiece(piece)
		case <-o.over:
			o.beginSpeech()
		case <-late.next:
			late.sayWait()
		case n := <-waits:
			late.stop()
			o.tellWait(n)
		case line := <-o.comingLines():
			o.keepLine(line, cancel)
		case err := <-done:
			return sc, o.endSpeech(ctx, err)
		}
	}
}

// addPiece holds a piece for a moment, or says it.
func (o *opener) addPiece(piece string) {
	if o.heard.begun {
		o.splitter.addWords(piece)
		return
	}
	if o.held += piece; o.over == nil {
		o.over = o.after(openingDelay)
	}
}

// beginSpeech prints the facts that precede the opening, and the words that have come.
func (o *opener) beginSpeech() {
	m := o.entered
	o.introduce(m)
	o.over, o.heard = nil, heardOpening{true, m != nil}
	if m != nil {
		tellAim(o.output, m)
	}
	o.splitter = sentenceSplitter{say: o.writeSentence}
	o.splitter.addWords(o.held)
}

// endSpeech ends the opening: the printed part of a broken one does not count.
func (o *opener) endSpeech(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if o.heard.begun {
		o.splitter.endWords()
		o.writeTalk("The opening broke off. What you have heard of it is not kept.")
	}
	if errors.Is(context.Cause(ctx), errStopped) {
		return errStopped
	}
	return err
}

// introduceCharacter reports who is talked to and as whom.
func introduceCharacter(out *output, v *conversation.UserSession, m *conversation.Machine) {
	out.talkToPerson("Talking to %s%s as %s. /help lists the commands.", v.Persona.CharacterName(), inMachine(m), terminal.Clean(v.Saved.PlayerName))
	if about := v.Persona.About; about != "" {
		out.talkToPerson("%s", conversation.EndSentence(about))
	}
	if found := v.FoundWords(); found != "" {
		out.talkToPerson("%s", playwords.FoundSoFar(found))
	}
}

// inMachine names the place of the conversation; "" while only the service knows it.
func inMachine(m *conversation.Machine) string {
	if m == nil {
		return ""
	}
	return " in " + m.Title
}

// sayKeeping reports once with each character what is kept of the chat.
func sayKeeping(p *player) {
	persona := p.User.Persona.ID
	if words := p.opts.KeepingWords(persona); words != "" && !p.keepingSaid[persona] {
		p.keepingSaid[persona] = true
		p.talkToPerson("%s", words)
	}
}

// sayModel reports once that the built-in model plays.
func sayModel(p *player) {
	if words := p.opts.ModelWords(); words != "" && !p.modelTold {
		p.modelTold = true
		p.hint("%s %s", words, conversation.ListModels)
	}
}

func tellAim(out *output, m *conversation.Machine) {
	if m.Goal != "" {
		out.talkToPerson("Your aim: %s", conversation.EndSentence(m.Goal))
	}
}

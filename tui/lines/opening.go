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

// openingDelay is how long the words of an opening are held back. An opening that is complete by
// then is printed after the facts about the session.
const openingDelay = 300 * time.Millisecond

// heardOpening records what was printed before the session was open: the first words of the
// opening, and the player's aim.
type heardOpening struct{ begun, aim bool }

func (p *player) openMachine(machine string, by conversation.MachineOpener) error {
	o := &opener{player: p, user: p.User, machine: machine, by: by, introduce: func(*conversation.Machine) {}}
	return o.openSession()
}

// An opener opens a machine's session and makes it the present session. Before anything else is
// printed, it calls introduce with the machine, or with nil if the service chooses the machine.
type opener struct {
	*player
	user      *conversation.UserSession
	machine   string
	by        conversation.MachineOpener
	introduce func(*conversation.Machine)
	entered   *conversation.Machine // the machine that is opened; nil if only the service knows which

	held  string           // the text that arrived during openingDelay
	over  <-chan time.Time // fires after openingDelay; nil before the first words
	heard heardOpening
}

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

// streamOpening opens the machine, and prints the words of a slow opening as they arrive. A line
// that the player types meanwhile is kept, but the stop word ends the wait.
func (o *opener) streamOpening() (*conversation.Session, error) {
	ctx, cancel := context.WithCancelCause(o.ctx)
	defer cancel(nil)
	words, done, waits := make(chan string), make(chan error, 1), make(chan wire.WaitNotice, 1)
	asking := wire.WithWaitNotice(ctx, func(n wire.WaitNotice) { passNotice(waits, n) })
	var sc *conversation.Session
	o.entered = o.user.MachineToEnter(o.machine) // This must precede o.by, which changes o.user.
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
			if o.heard.begun {
				o.splitter.addWords(piece)
			} else if o.held += piece; o.over == nil {
				o.over = o.after(openingDelay)
			}
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

func (o *opener) endSpeech(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if o.heard.begun {
		o.splitter.endWords()
		o.writeTalk("The opening broke off. The text above does not count.")
	}
	if errors.Is(context.Cause(ctx), errStopped) {
		return errStopped
	}
	return err
}

func (p *player) introduceCharacter(m *conversation.Machine) {
	p.talkToPerson("Talking to %s%s as %s. /help lists the commands.", p.User.Persona.CharacterName(), inMachine(m), terminal.Clean(p.User.Saved.PlayerName))
	if about := p.User.Persona.About; about != "" {
		p.talkToPerson("%s", conversation.EndSentence(about))
	}
	if found := p.User.FoundWords(); found != "" {
		p.talkToPerson("%s", playwords.FoundSoFar(found))
	}
}

func inMachine(m *conversation.Machine) string {
	if m == nil {
		return ""
	}
	return " in " + m.Title
}

func tellAim(out *output, m *conversation.Machine) {
	if m.Goal != "" {
		out.talkToPerson("Your aim: %s", conversation.EndSentence(m.Goal))
	}
}

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

// openingDelay is how long a streamed opening is held back after its first words arrive. If the
// opening is complete by then, it is printed after the session's other data. Otherwise the words
// are printed as they arrive.
const openingDelay = 300 * time.Millisecond

// heardOpening records what was printed before the session was open. begun stands for the first
// words of the opening, and aim for the player's aim.
type heardOpening struct{ begun, aim bool }

// openMachine opens the session of a machine and makes it the present session.
func (p *player) openMachine(machine string, by conversation.MachineOpener) error {
	o := &opener{player: p, user: p.User, machine: machine, by: by, introduce: func(*conversation.Machine) {}}
	return o.openSession()
}

// An opener opens a machine's session and makes it the present session. It calls introduce before
// it prints anything else about the session. The argument of introduce is the machine, or nil if
// only the service knows which machine will be entered.
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

// openSession opens the session. If the input is interactive, it prints the opening as it arrives.
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

// streamOpening opens the machine. If the opening is not complete after openingDelay, it prints the
// words as they arrive. A line that the player types meanwhile is kept for the next askLine, except
// for the stop word, which ends the wait.
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

// addPiece holds a piece back until openingDelay has passed, and prints it after that.
func (o *opener) addPiece(piece string) {
	if o.heard.begun {
		o.splitter.addWords(piece)
		return
	}
	if o.held += piece; o.over == nil {
		o.over = o.after(openingDelay)
	}
}

// beginSpeech prints the facts that precede the opening, and the words that were held back.
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

// endSpeech handles the end of an opening. If the opening failed after words were printed,
// endSpeech prints that these words do not count.
func (o *opener) endSpeech(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if o.heard.begun {
		o.splitter.endWords()
		o.writeTalk("The opening broke off. The part above does not count.")
	}
	if errors.Is(context.Cause(ctx), errStopped) {
		return errStopped
	}
	return err
}

// introduceCharacter prints the names of the character and the player, the persona's description,
// and the number of endings found.
func introduceCharacter(out *output, user *conversation.UserSession, m *conversation.Machine) {
	out.talkToPerson("Talking to %s%s as %s. /help lists the commands.", user.Persona.CharacterName(), inMachine(m), terminal.Clean(user.Saved.PlayerName))
	if about := user.Persona.About; about != "" {
		out.talkToPerson("%s", conversation.EndSentence(about))
	}
	if found := user.FoundWords(); found != "" {
		out.talkToPerson("%s", playwords.FoundSoFar(found))
	}
}

// inMachine returns " in" and the machine's title, or "" if m is nil.
func inMachine(m *conversation.Machine) string {
	if m == nil {
		return ""
	}
	return " in " + m.Title
}

// sayKeeping prints what the chat stores, once for each persona.
func sayKeeping(p *player) {
	persona := p.User.Persona.ID
	if words := p.opts.KeepingWords(persona); words != "" && !p.keepingSaid[persona] {
		p.keepingSaid[persona] = true
		p.talkToPerson("%s", words)
	}
}

// sayModel prints that the built-in model plays, once and only if it does.
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

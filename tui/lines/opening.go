package lines

import (
	"context"
	"errors"
	"time"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
)

// openingDelay is how long an opening may take from its first words to its last before
// its words are said as they come. What is whole by then is said behind all that is to be
// known of the session.
const openingDelay = 300 * time.Millisecond

// machineOpener is how a requester opens a machine; heard is told the opening's words.
type machineOpener func(ctx context.Context, v *conversation.UserSession, machine string, heard func(string) error) (*conversation.Session, error)

// heardOpening is what was said of a session before it was open: the first words, and
// what is to be tried in it.
type heardOpening struct{ begun, aim bool }

// openMachine makes another session the present one.
func (p *player) openMachine(machine string, by machineOpener) error {
	return p.openSession(p.User, machine, by, func(*conversation.Machine) {})
}

// openSession opens a machine's session and makes it the present one. introduce is told
// the machine, nil while only the service knows it, before anything of the session is
// said. For a person the opening is said as it comes (docs/decisions/tui.md,
// opening-streams).
func (p *player) openSession(v *conversation.UserSession, machine string, by machineOpener, introduce func(*conversation.Machine)) error {
	if !p.opts.Interactive {
		sc, err := by(p.ctx, v, machine, nil)
		if err == nil {
			introduce(sc.Machine)
			p.showSession(sc, heardOpening{})
		}
		return err
	}
	var heard heardOpening
	present := p.User
	sc, err := p.streamOpening(v, machine, by, func() {
		m := v.Persona.MachineToEnter(machine)
		introduce(m)
		if heard = (heardOpening{true, m != nil}); heard.aim {
			p.tellAim(m)
		}
	})
	if err != nil {
		p.User = present
		return err
	}
	if !heard.begun {
		introduce(sc.Machine)
	}
	p.showSession(sc, heard)
	return nil
}

// streamOpening opens a machine and says what has come of the opening, if it is not whole
// a moment after its first words; begin is called before that. A line that is typed
// meanwhile is the next one, unless it is the stop word.
func (p *player) streamOpening(v *conversation.UserSession, machine string, by machineOpener, begin func()) (*conversation.Session, error) {
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	words, done, waits := make(chan string), make(chan error, 1), make(chan wire.WaitNotice, 1)
	asking := wire.WithWaitNotice(ctx, func(n wire.WaitNotice) { passNotice(waits, n) })
	var sc *conversation.Session
	go func() {
		var err error
		sc, err = by(asking, v, machine, func(piece string) error { return passPiece(ctx, words, piece) })
		done <- err
	}()
	o := &openingSpeech{player: p, begin: begin}
	late := p.after(thinkingDelay)
	for {
		select {
		case piece := <-words:
			late = nil
			o.addPiece(piece)
		case <-o.over:
			o.beginSpeech()
		case <-late:
			late = nil
			p.writeTalk("%s is about to speak. Write %s to stop waiting.", v.Persona.CharacterName(), stopWord)
		case n := <-waits:
			late = nil
			p.tellWait(n)
		case line := <-p.comingLines():
			p.keepLine(line, cancel)
		case err := <-done:
			return sc, o.endSpeech(ctx, err)
		}
	}
}

// openingSpeech is an opening that is held for a moment and then said as it comes.
type openingSpeech struct {
	*player
	begin func()
	held  string
	over  <-chan time.Time // the moment is over; nil before the first words
	begun bool
}

func (o *openingSpeech) addPiece(piece string) {
	if o.begun {
		o.splitter.addWords(piece)
		return
	}
	if o.held += piece; o.over == nil {
		o.over = o.after(openingDelay)
	}
}

func (o *openingSpeech) beginSpeech() {
	o.begin()
	o.begun, o.over = true, nil
	o.splitter = sentenceSplitter{say: o.writeSentence}
	o.splitter.addWords(o.held)
}

// endSpeech ends the opening: what was said of one that broke off does not count.
func (o *openingSpeech) endSpeech(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if o.begun {
		o.splitter.endWords()
		o.writeTalk("The opening broke off. What you have heard of it is not kept.")
	}
	if errors.Is(context.Cause(ctx), errStopped) {
		return errStopped
	}
	return err
}

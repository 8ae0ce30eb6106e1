package lines

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

const (
	// thinkingDelay is how long line mode waits for the character before it prints that it waits.
	thinkingDelay = 3 * time.Second
	// stillDelay is the interval after which line mode prints again that it waits.
	stillDelay = 30 * time.Second
)

func (p *player) openMachine(machine string, by conversation.MachineOpener) error {
	return p.openSession(p.User, machine, by, func(*conversation.Machine) {})
}

// openSession opens a machine's session and makes it the present session. It calls introduce with
// the machine before it prints the opening.
func (p *player) openSession(
	user *conversation.UserSession, machine string, by conversation.MachineOpener, introduce func(*conversation.Machine),
) error {
	var sc *conversation.Session
	var err error
	present := p.User
	if p.opts.Interactive {
		err = p.stream(user.Persona.CharacterName()+" is about to speak", func(ctx context.Context, _ func(string) error) (err error) {
			sc, err = by(ctx, user, machine, func(string) error { return nil }) // The stream also brings notices of waits.
			return err
		})
	} else {
		sc, err = by(p.ctx, user, machine, nil)
	}
	if err != nil {
		p.User = present
		return err
	}
	introduce(sc.Machine)
	p.showSession(sc, true)
	return nil
}

// stream runs call, which passes the pieces of a text to its second argument. stream prints the
// text sentence by sentence. It keeps a line that the player types in the meantime, but the stop
// word cancels call. waiting describes the wait ("Mira is thinking").
func (p *player) stream(waiting string, call func(context.Context, func(string) error) error) error {
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	words, done, notices := make(chan string), make(chan error, 1), make(chan wire.WaitNotice, 1)
	asking := wire.WithWaitNotice(ctx, func(n wire.WaitNotice) { passNotice(notices, n) })
	go func() {
		done <- call(asking, func(piece string) error { return passPiece(ctx, words, piece) })
	}()
	p.splitter = sentenceSplitter{say: p.writeSentence}
	late, waited := p.opts.After(thinkingDelay), thinkingDelay
	for {
		select {
		case piece := <-words:
			late = nil
			p.splitter.addWords(piece)
		case <-late:
			passed := ""
			if waited > thinkingDelay {
				passed = ", " + inSeconds(waited) + " now"
			}
			p.writeTalk("%s%s. Write %s to stop waiting.", waiting, passed, stopWord)
			late, waited = p.opts.After(stillDelay), waited+stillDelay
		case n := <-notices:
			late = nil
			p.tellWait(n)
		case line := <-p.comingLines():
			p.keepLine(line, cancel)
		case err := <-done:
			return p.endStream(ctx, err)
		}
	}
}

func (p *player) endStream(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	p.splitter.endWords()
	if p.splitter.spoken {
		p.writeTalk("The reply broke off. The text above does not count.")
	}
	if errors.Is(context.Cause(ctx), errStopped) {
		return errStopped
	}
	return err
}

// passNotice sends a notice. It never blocks, but drops an older notice that was not read yet.
func passNotice(notices chan wire.WaitNotice, n wire.WaitNotice) {
	select {
	case <-notices:
	default:
	}
	notices <- n
}

func passPiece(ctx context.Context, words chan<- string, piece string) error {
	select {
	case words <- piece:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *player) tellWait(n wire.WaitNotice) {
	said := fmt.Sprintf("%s: next attempt in %s.", conversation.Capitalize(n.Sentence()), inSeconds(n.Wait()))
	if p.opts.Interactive {
		said += fmt.Sprintf(" Write %s to stop waiting.", stopWord)
	}
	p.writeTalk("%s", said)
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

func (p *player) tellAim(m *conversation.Machine) {
	if m.Goal != "" {
		p.talkToPerson("Your aim: %s", conversation.EndSentence(m.Goal))
	}
}

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
	// openingDelay is how long line mode holds back the words of an opening. If the opening is
	// complete within this time, line mode prints the facts about the session first.
	openingDelay = 300 * time.Millisecond
)

// heardOpening records what was printed before the session was open: the first words of the
// opening, and the player's aim.
type heardOpening struct{ begun, aim bool }

func (p *player) openMachine(machine string, by conversation.MachineOpener) error {
	return p.openSession(p.User, machine, by, func(*conversation.Machine) {})
}

// openSession opens a machine's session and makes it the present session. It calls introduce before
// it prints anything else. The argument of introduce is the machine, or nil if the machine is not
// known yet.
func (p *player) openSession(
	user *conversation.UserSession, machine string, by conversation.MachineOpener, introduce func(*conversation.Machine),
) error {
	var sc *conversation.Session
	open := func(ctx context.Context, heard func(string) error) (err error) {
		sc, err = by(ctx, user, machine, heard)
		return err
	}
	present, heard := p.User, heardOpening{}
	entered := user.MachineToEnter(machine) // before by, which changes user
	begin := func() {
		introduce(entered)
		heard = heardOpening{true, entered != nil}
		if entered != nil {
			p.tellAim(entered)
		}
	}
	var err error
	if p.opts.Interactive {
		err = p.stream("opening", user.Persona.CharacterName()+" is about to speak", begin, open)
	} else {
		err = open(p.ctx, nil)
	}
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

// stream runs call, which passes the pieces of a text to its second argument. stream prints the
// text sentence by sentence. If begin is not nil, stream holds the text back for openingDelay and
// calls begin before it prints. stream keeps a line that the player types in the meantime, but the
// stop word cancels call. what describes the text ("reply"), and waiting the wait ("Mira is
// thinking").
func (p *player) stream(what, waiting string, begin func(), call func(context.Context, func(string) error) error) error {
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	words, done, notices := make(chan string), make(chan error, 1), make(chan wire.WaitNotice, 1)
	asking := wire.WithWaitNotice(ctx, func(n wire.WaitNotice) { passNotice(notices, n) })
	go func() {
		done <- call(asking, func(piece string) error { return passPiece(ctx, words, piece) })
	}()
	p.splitter = sentenceSplitter{say: p.writeSentence}
	held, begun := "", begin == nil
	var begins <-chan time.Time
	late, waited := p.opts.After(thinkingDelay), thinkingDelay
	for {
		select {
		case piece := <-words:
			late = nil
			if begun {
				p.splitter.addWords(piece)
			} else if held += piece; begins == nil {
				begins = p.opts.After(openingDelay)
			}
		case <-begins:
			begins, begun = nil, true
			begin()
			p.splitter.addWords(held)
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
			return p.endStream(ctx, what, begun, err)
		}
	}
}

func (p *player) endStream(ctx context.Context, what string, begun bool, err error) error {
	if err == nil {
		return nil
	}
	if begun {
		p.splitter.endWords()
	}
	if p.splitter.spoken {
		p.writeTalk("The %s broke off. The text above does not count.", what)
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

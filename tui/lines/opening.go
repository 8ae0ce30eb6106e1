package lines

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

const (
	firstNoticeDelay = 3 * time.Second
	noticeInterval   = 30 * time.Second
)

func (p *player) openMachine(machine string, open conversation.MachineOpener) error {
	return p.openSession(p.User, machine, open, func(*conversation.Machine) {})
}

func (p *player) openSession(
	user *conversation.UserSession, machine string, open conversation.MachineOpener, introduce func(*conversation.Machine),
) error {
	var session *conversation.Session
	var err error
	before := p.User
	if p.opts.Interactive {
		waiting := user.Persona.CharacterName() + " is about to speak"
		err = p.stream(waiting, func(ctx context.Context, _ func(string) error) (err error) {
			discard := func(string) error { return nil } // Only streams bring notices of waits.
			session, err = open(ctx, user, machine, discard)
			return err
		})
	} else {
		session, err = open(p.ctx, user, machine, nil)
	}
	if err != nil {
		p.User = before
		return err
	}
	introduce(session.Machine)
	p.showSession(session, true)
	return nil
}

func (p *player) stream(waiting string, call func(context.Context, func(string) error) error) error {
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	words, done, notices := make(chan string), make(chan error, 1), make(chan wire.WaitNotice, 1)
	asking := wire.WithWaitNotice(ctx, func(n wire.WaitNotice) { passNotice(notices, n) })
	go func() {
		done <- call(asking, func(piece string) error { return passPiece(ctx, words, piece) })
	}()
	p.splitter = sentenceSplitter{say: p.writeSentence}
	silence, waited := p.opts.After(firstNoticeDelay), firstNoticeDelay
	for {
		select {
		case piece := <-words:
			silence = nil
			p.splitter.addWords(piece)
		case <-silence:
			passed := ""
			if waited > firstNoticeDelay {
				passed = ", " + inSeconds(waited) + " now"
			}
			p.writeTalk("%s%s. Write %s to stop waiting.", waiting, passed, stopWord)
			silence, waited = p.opts.After(noticeInterval), waited+noticeInterval
		case n := <-notices:
			silence = nil
			p.tellWait(n)
		case line := <-p.comingLines():
			p.holdLine(line, cancel)
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

// passNotice never blocks, but drops an older unread notice.
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
	text := fmt.Sprintf("%s: next attempt in %s.", conversation.Capitalize(n.Sentence()), inSeconds(n.Wait()))
	if p.opts.Interactive {
		text += fmt.Sprintf(" Write %s to stop waiting.", stopWord)
	}
	p.writeTalk("%s", text)
}

func (p *player) introduceCharacter(m *conversation.Machine) {
	p.talkToPerson("Talking to %s%s as %s. /help lists the commands.",
		p.User.Persona.CharacterName(), inMachine(m), terminal.Clean(p.User.Saved.PlayerName))
	if about := p.User.Persona.About; about != "" {
		p.talkToPerson("%s", conversation.EndSentence(about))
	}
	if endings := p.User.FoundWords(); endings != "" {
		p.talkToPerson("%s", playwords.FoundSoFar(endings))
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

const defaultName = "Player"

func (p *player) askPlayer() error {
	if !p.opts.Interactive {
		if p.User.Saved.PlayerName == "" {
			p.User.Saved.PlayerName = defaultName
		}
		return nil
	}
	name, err := p.askName()
	if err != nil {
		return err
	}
	gender, err := p.askGender()
	if err != nil || name == "" && gender == "" {
		return err
	}
	p.requester.SetPlayer(p.User, name, gender)
	if err := p.requester.KeepPlayer(name, gender); err != nil {
		p.writeTalk("Your name could not be saved: %s", conversation.EndSentence(p.requester.ExplainError(err)))
		return nil
	}
	if name != "" {
		p.writeTalk("%s", conversation.KeptName)
	}
	return nil
}

func (p *player) askName() (string, error) {
	if !p.User.NeedsName() {
		return "", nil
	}
	prompt := "How shall " + p.User.Persona.CharacterName() + " call you? "
	if p.opts.SuggestedName != "" {
		prompt += "Enter for " + terminal.Clean(p.opts.SuggestedName) + ": "
	}
	for {
		line, err := p.askLine(prompt)
		if err != nil {
			return "", err
		}
		name := strings.TrimSpace(line.text)
		switch {
		case line.tooLong || terminal.CountCharacters(name) > wire.MaxPlayerName:
			p.writeTalk("A name can have at most %d characters.", wire.MaxPlayerName)
		case name != "":
			return name, nil
		case p.opts.SuggestedName != "":
			return p.opts.SuggestedName, nil
		}
	}
}

func (p *player) askGender() (string, error) {
	if !p.User.NeedsGender() {
		return "", nil
	}
	p.writeTalk("%s", conversation.GenderReason)
	p.writeTalk("1. female  2. male  3. non-binary")
	usual := len(wire.Genders) - 1
	i, err := p.askNumber("You are, by number: ", len(wire.Genders), usual)
	if err != nil {
		return "", err
	}
	return wire.Genders[i], nil
}

func (p *player) rename(name string) error {
	switch {
	case name == "":
		p.writeTalk("%s", conversation.NameWords(p.User.Saved.PlayerName))
		return nil
	case terminal.CountCharacters(name) > wire.MaxPlayerName:
		p.writeTalk("A name can have at most %d characters.", wire.MaxPlayerName)
		return nil
	}
	p.requester.SetPlayer(p.User, name, "")
	if err := p.requester.RenamePlayer(p.User.Saved); err != nil {
		return err
	}
	p.writeTalk("%s", conversation.NameNews(name))
	return nil
}

package lines

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// sendTurn retries only for a person. In a pipe, the client of the service retries.
func (p *player) sendTurn(t conversation.Turn) error {
	p.unsent = conversation.Turn{}
	for tries := 0; ; tries++ {
		seen, err := p.checkUnseen()
		if seen != nil {
			notice := "Your previous message did arrive; this is the answer."
			if t != p.lost {
				notice += " The message that you have just written was not sent."
			}
			return p.showUnseen(seen, notice)
		}
		var reply *wire.Reply
		if err == nil {
			reply, err = p.requestReply(t)
		}
		if err == nil {
			return p.showReply(t.Text, reply)
		}
		if conversation.IsEnded(err) && p.opts.Interactive {
			return p.showEndElsewhere(t, err)
		}
		p.answerUnseen = p.answerUnseen || p.requester.MayHaveCounted(err)
		p.lost = t
		if !p.waitToRetry(err, tries) {
			p.unsent = t
			return err
		}
	}
}

func (p *player) requestReply(t conversation.Turn) (reply *wire.Reply, err error) {
	if !p.opts.Interactive {
		return p.requester.SendTurn(p.ctx, p.User, p.Session, t, nil)
	}
	waiting := p.User.Persona.CharacterName() + " is thinking"
	err = p.stream(waiting, func(ctx context.Context, onText func(string) error) (err error) {
		reply, err = p.requester.SendTurn(ctx, p.User, p.Session, t, onText)
		return err
	})
	return reply, err
}

func (p *player) waitToRetry(err error, tries int) bool {
	if !p.opts.Interactive || tries >= conversation.MaxRetries || errors.Is(err, errStopped) || p.ctx.Err() != nil {
		return false
	}
	wait, why := p.requester.RetryDelay(err, tries)
	return wait > 0 && p.waitOut(wait, why)
}

func (p *player) checkUnseen() (*conversation.Unseen, error) {
	if !p.answerUnseen {
		return nil, nil
	}
	seen, err := p.requester.ReadUnseen(p.ctx, p.User, p.Session, p.Machines)
	if err != nil {
		return nil, err
	}
	p.answerUnseen = false
	if !seen.HasTurn(p.lost.Text) {
		return nil, nil
	}
	return seen, nil
}

func (p *player) showEndElsewhere(t conversation.Turn, failed error) error {
	seen, err := p.requester.ReadUnseen(p.ctx, p.User, p.Session, p.Machines)
	if err != nil || len(seen.Messages) == 0 {
		p.unsent = t
		return failed
	}
	return p.showUnseen(seen, p.Session.Machine.Title+" has ended in another window; your message was not sent.")
}

func (p *player) sayMessages(session *conversation.Session, messages []conversation.ToldMessage) {
	for _, m := range messages {
		p.writePlay("%s", spokenLines(conversation.SpeakerName(p.User, session, m.Role), m.Content))
	}
}

func (p *player) showUnseen(seen *conversation.Unseen, notice string) error {
	p.writeTalk("%s", notice)
	messages := seen.TellUnseen()
	last := messages[len(messages)-1]
	p.sayMessages(p.Session, messages[:len(messages)-1])
	p.Session.ID, p.Session.Messages = seen.Session.ID, seen.Session.Messages
	p.Session.Standing = seen.Session.Standing
	p.speakText(last.Content)
	return p.showChanges(last.Before, seen.Unlocked)
}

func (p *player) waitOut(wait time.Duration, why string) bool {
	p.writeTalk("Not sent yet: %s. The next attempt is in %s. Write %s to stop waiting.",
		strings.TrimRight(why, "?."), inSeconds(wait), stopWord)
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	elapsed := p.opts.After(wait)
	for !p.isLeaving() {
		select {
		case <-elapsed:
			return true
		case line := <-p.comingLines():
			p.holdLine(line, cancel)
		case <-ctx.Done():
			return false
		}
	}
	return false
}

func inSeconds(d time.Duration) string {
	if n := int((d + time.Second - 1) / time.Second); n != 1 {
		return fmt.Sprintf("%d seconds", n)
	}
	return "1 second"
}

func (p *player) showReply(text string, reply *wire.Reply) error {
	session, before := p.Session, p.Session.Standing
	p.finishSpeaking(reply.Message)
	var meanwhile *conversation.Meanwhile
	if p.opts.Interactive {
		meanwhile = p.requester.ReadMeanwhile(p.ctx, p.User, session, text, reply)
	}
	p.Spent.AddTokens(reply.Tokens)
	session.AddTurn(text, reply)
	if p.opts.Interactive {
		session.Nearly = p.requester.ReadNearly(p.ctx, p.User, session, reply)
	}
	if meanwhile != nil {
		session.ID, session.Messages = meanwhile.Session.ID, meanwhile.Session.Messages
	}
	if meanwhile != nil && len(meanwhile.Earlier) > 0 {
		p.writeTalk("These messages from another window precede yours:")
		p.sayMessages(session, meanwhile.Earlier)
		before = meanwhile.Before
	}
	return p.showChanges(before, reply.Unlocked)
}

func (p *player) showChanges(before conversation.Standing, unlocked []string) error {
	p.reportStanding(before)
	p.reportEnding(before, unlocked)
	if p.opts.Debug {
		if err := p.explainLast(conversation.WhyBriefly); err != nil {
			p.writeTalk("%s.", conversation.Capitalize(p.requester.ExplainError(err)))
		}
	}
	if p.opts.Interactive {
		p.savePlace()
	}
	return p.goOn(unlocked)
}

func (p *player) reportStanding(before conversation.Standing) {
	m, standing := p.Session.Machine, p.Session.Standing
	if !p.opts.Interactive {
		p.writePlay("%s", m.StandingLine(standing))
		return
	}
	for _, sentence := range m.ChangeSentences(before, standing, p.User.Persona.CharacterName()) {
		p.writePlay("%s", sentence)
	}
}

func (p *player) finishSpeaking(reply string) {
	if !p.opts.Interactive {
		p.speakText(reply)
		return
	}
	rest, begins := strings.CutPrefix(terminal.CleanLines(reply), p.splitter.text.String())
	if !begins { // The reply differs from the streamed text.
		p.splitter, rest = sentenceSplitter{say: p.writeSentence}, reply
	}
	p.splitter.addWords(rest)
	p.splitter.endWords()
	if !p.splitter.spoken {
		p.writeSentence("...", true)
	}
}

func (p *player) writeSentence(text string, first bool) {
	if first {
		p.writePlay("%s: %s", p.User.Persona.CharacterName(), text)
		return
	}
	p.writePlay("  %s", text)
}

func (p *player) explainLast(lines func(*conversation.ExplainedTurn) []string) error {
	turns, _, err := p.requester.ExplainTurns(p.ctx, p.User, p.Session.Machine)
	if err != nil || len(turns) == 0 {
		return err
	}
	for _, line := range lines(&turns[len(turns)-1]) {
		p.writePlay("%s", line)
	}
	return nil
}

func (p *player) showCarried() {
	p.Machines = nil
	if !p.opts.Interactive || len(p.User.Persona.Machines) < 2 {
		return
	}
	list, progress, err := p.requester.ListMachines(p.ctx, p.User)
	if err != nil {
		return
	}
	p.Machines = list
	if p.Session.Resumed {
		return
	}
	for _, line := range p.User.Persona.ListCarried(p.Session.Machine, progress.CrossMachineVars) {
		p.writePlay("Carried over. %s.", line)
	}
}

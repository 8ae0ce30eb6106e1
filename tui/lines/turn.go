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

// sendTurn sends a turn and prints the reply. If the input is interactive, it retries after
// temporary failures. Otherwise only the service's client retries. If the turn cannot be sent,
// sendTurn stores it in p.unsent.
func (p *player) sendTurn(t conversation.Turn) error {
	p.unsent = conversation.Turn{}
	for tries := 0; ; tries++ {
		seen, err := p.checkUnseen()
		if seen != nil {
			said := "Your previous message did arrive; this is the answer."
			if t != p.lost {
				said += " The message that you have just written was not sent."
			}
			return p.showUnseen(seen, said)
		}
		var reply *wire.Reply
		if err == nil {
			if p.opts.Interactive {
				err = p.stream(p.User.Persona.CharacterName()+" is thinking", func(ctx context.Context, heard func(string) error) (err error) {
					reply, err = p.requester.SendTurn(ctx, p.User, p.Session, t, heard)
					return err
				})
			} else {
				reply, err = p.requester.SendTurn(p.ctx, p.User, p.Session, t, nil)
			}
		}
		if err == nil {
			return p.showReply(t.Text, reply)
		}
		if conversation.IsEnded(err) && p.opts.Interactive {
			return p.lookAfterEnd(t, err)
		}
		p.answerUnseen = p.answerUnseen || p.requester.MayHaveCounted(err)
		p.lost = t
		if !p.waitToRetry(err, tries) {
			p.unsent = t
			return err
		}
	}
}

func (p *player) waitToRetry(err error, tries int) bool {
	if !p.opts.Interactive || tries >= conversation.MaxRetries || errors.Is(err, errStopped) || p.ctx.Err() != nil {
		return false
	}
	wait, why := p.requester.RetryDelay(err, tries)
	return wait > 0 && p.waitOut(wait, why)
}

// checkUnseen returns the messages that the player has not seen, if the last answer was lost and
// its turn has counted. Otherwise it returns nil.
func (p *player) checkUnseen() (*conversation.Unseen, error) {
	if !p.answerUnseen {
		return nil, nil
	}
	seen, err := p.requester.ReadUnseen(p.ctx, p.User, p.Session, p.Machines)
	if err != nil {
		return nil, err
	}
	if p.answerUnseen = false; !seen.HasTurn(p.lost.Text) {
		return nil, nil // readMeanwhile finds the messages from other windows after the turn.
	}
	return seen, nil
}

// lookAfterEnd prints how a machine has ended in another window. The service has therefore rejected
// the turn t with the error failed. If lookAfterEnd cannot read the ending, it returns failed.
func (p *player) lookAfterEnd(t conversation.Turn, failed error) error {
	seen, err := p.requester.ReadUnseen(p.ctx, p.User, p.Session, p.Machines)
	if err != nil || len(seen.Messages) == 0 {
		p.unsent = t
		return failed
	}
	return p.showUnseen(seen, p.Session.Machine.Title+" has ended in another window; your message was not sent.")
}

func (p *player) sayMessages(told []conversation.ToldMessage) {
	for _, m := range told {
		p.writePlay("%s", spokenLines(conversation.SpeakerName(p.User, p.Session, m.Role), m.Content))
	}
}

func (p *player) showUnseen(seen *conversation.Unseen, said string) error {
	p.writeTalk("%s", said)
	told := seen.TellUnseen()
	last := told[len(told)-1]
	p.sayMessages(told[:len(told)-1])
	p.Session.ID, p.Session.Messages, p.Session.Standing = seen.Session.ID, seen.Session.Messages, seen.Session.Standing
	p.speakText(last.Content)
	return p.showChanges(last.Before, seen.Unlocked)
}

func (p *player) waitOut(wait time.Duration, why string) bool {
	p.writeTalk("Not sent yet: %s. The next attempt is in %s. Write %s to stop waiting.", strings.TrimRight(why, "?."), inSeconds(wait), stopWord)
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	over := p.opts.After(wait)
	for !p.isLeaving() {
		select {
		case <-over:
			return true
		case line := <-p.comingLines():
			p.keepLine(line, cancel)
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
	sc, before := p.Session, p.Session.Standing
	p.finishSpeaking(reply.Message)
	var meanwhile *conversation.Meanwhile
	if p.opts.Interactive {
		meanwhile = p.requester.ReadMeanwhile(p.ctx, p.User, sc, text, reply)
	}
	p.Spent.AddTokens(reply.Tokens)
	sc.AddTurn(text, reply)
	if p.opts.Interactive {
		sc.Nearly = p.requester.ReadNearly(p.ctx, p.User, sc, reply)
	}
	if meanwhile != nil {
		sc.ID, sc.Messages = meanwhile.Session.ID, meanwhile.Session.Messages
	}
	if meanwhile != nil && len(meanwhile.Earlier) > 0 {
		p.writeTalk("These messages from another window precede yours:")
		p.sayMessages(meanwhile.Earlier)
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
		p.keepPlace()
	}
	return p.goOn(unlocked)
}

func (p *player) reportStanding(before conversation.Standing) {
	m, at := p.Session.Machine, p.Session.Standing
	if !p.opts.Interactive {
		p.writePlay("%s", m.StandingLine(at))
		return
	}
	for _, said := range m.ChangeSentences(before, at, p.User.Persona.CharacterName()) {
		p.writePlay("%s", said)
	}
}

func (p *player) finishSpeaking(whole string) {
	if !p.opts.Interactive {
		p.speakText(whole)
		return
	}
	rest, begins := strings.CutPrefix(terminal.CleanLines(whole), p.splitter.heard.String())
	if !begins { // The final reply differs from the streamed pieces.
		p.splitter, rest = sentenceSplitter{say: p.writeSentence}, whole
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

// showCarried reads the machines and prints the values carried over from other machines, if the
// input is interactive. It ignores errors, because the player cannot fix them.
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

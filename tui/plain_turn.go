package tui

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// How long nothing is said of a reply that is waited for.
const thinkingDelay = 3 * time.Second

// sendTurn makes a turn. Where somebody sits there it is sent again by itself when
// that helps; else that is the service's caller's. What could not be sent is kept.
func (p *player) sendTurn(t turn) error {
	p.unsent = turn{}
	for tries := 0; ; tries++ {
		seen, err := p.checkUnseen()
		if seen != nil {
			return p.showUnseen(seen, t)
		}
		var reply *wire.Reply
		if err == nil {
			reply, err = p.tryTurn(t)
		}
		if err == nil {
			return p.showReply(t.text, reply)
		}
		p.unsure = p.unsure || p.requester.mayHaveCounted(err)
		p.lost = t
		if !p.waitToRetry(err, tries) {
			p.unsent = t
			return err
		}
	}
}

// waitToRetry waits until a failed turn may be sent again, where that helps and
// the player lets it.
func (p *player) waitToRetry(err error, tries int) bool {
	if !p.opts.Interactive || tries >= maxTries || errors.Is(err, errStopped) || p.ctx.Err() != nil {
		return false
	}
	wait, why := p.requester.retryDelay(err, tries)
	return wait > 0 && p.waitOut(wait, why)
}

// checkUnseen looks after a turn whose answer was lost whether that one counted, so
// that nothing is said twice; nil when it did not.
func (p *player) checkUnseen() (*unseen, error) {
	if !p.unsure {
		return nil, nil
	}
	seen, err := p.requester.readUnseen(p.ctx, p.user, p.session, p.machines)
	if err != nil {
		return nil, err
	}
	if p.unsure = false; len(seen.messages) == 0 {
		return nil, nil
	}
	return seen, nil
}

// tryTurn sends a turn once.
func (p *player) tryTurn(t turn) (*wire.Reply, error) {
	if !p.opts.Interactive {
		return p.requester.sendTurn(p.ctx, p.user, p.session, t, nil)
	}
	return p.streamTurn(t)
}

// showUnseen says the answer that was not seen, and goes on as after any turn.
func (p *player) showUnseen(seen *unseen, t turn) error {
	said := "Your last message had arrived after all; this is the answer."
	if t != p.lost {
		said += " What you have just written was not sent."
	}
	p.writeTalk("%s", said)
	before := p.session.standing
	p.session.messages, p.session.standing = seen.session.messages, seen.session.standing
	p.speakText(lastSaid(seen.messages))
	return p.showChanges(before, seen.unlocked)
}

// streamTurn sends a turn and says the reply as it comes, sentence by sentence. A
// line that is typed meanwhile is the next one, unless it is the stop word.
func (p *player) streamTurn(t turn) (*wire.Reply, error) {
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	words, done := make(chan string), make(chan error, 1)
	var reply *wire.Reply
	go func() {
		var err error
		reply, err = p.requester.sendTurn(ctx, p.user, p.session, t, func(piece string) error { return passPiece(ctx, words, piece) })
		done <- err
	}()
	p.splitter = sentenceSplitter{say: p.writeSentence}
	late := p.after(thinkingDelay)
	for {
		select {
		case piece := <-words:
			late = nil
			p.splitter.addWords(piece)
		case <-late:
			late = nil
			p.writeTalk("%s is thinking. Write %s to stop waiting.", p.user.persona.characterName(), stopWord)
		case line := <-p.comingLines():
			p.keepLine(line, cancel)
		case err := <-done:
			return reply, p.endStream(ctx, err)
		}
	}
}

// passPiece gives a piece to whoever listens, or says why nobody does.
func passPiece(ctx context.Context, words chan<- string, piece string) error {
	select {
	case words <- piece:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// endStream ends a turn: what was said of a reply that broke off does not count.
func (p *player) endStream(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	p.splitter.endWords()
	if p.splitter.spoken {
		p.writeTalk("The reply broke off. What you have heard of it is not kept.")
	}
	if errors.Is(context.Cause(ctx), errStopped) {
		return errStopped
	}
	return err
}

// waitOut waits until a turn can be sent again, and says false when the player
// does not want that, or wants to leave.
func (p *player) waitOut(wait time.Duration, why string) bool {
	p.writeTalk("Not sent yet: %s. It is sent again in %s. Write %s to keep your words instead.", strings.TrimRight(why, "?."), inSeconds(wait), stopWord)
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	over := p.after(wait)
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

// inSeconds is a wait as it is read aloud.
func inSeconds(d time.Duration) string {
	if n := int((d + time.Second - 1) / time.Second); n != 1 {
		return fmt.Sprintf("%d seconds", n)
	}
	return "1 second"
}

// showReply says what a turn has brought: the reply, then what it has changed.
func (p *player) showReply(text string, reply *wire.Reply) error {
	sc, before := p.session, p.session.standing
	sc.standing = standingOf(reply)
	p.spent.addTokens(reply.Tokens)
	sc.messages = append(sc.messages,
		wire.HistoryMessage{Role: wire.RoleUser, Content: text},
		wire.HistoryMessage{Role: wire.RoleAssistant, Content: reply.Message})
	p.finishSpeaking(reply.Message)
	return p.showChanges(before, reply.Unlocked)
}

// showChanges says what a turn has changed, state, score, redirects, ending, then what
// was unlocked, and goes on to the machine to which that leads.
func (p *player) showChanges(before standing, unlocked []string) error {
	sc := p.session
	p.reportStanding(before)
	for _, id := range unlocked {
		m := p.user.persona.findMachine(id)
		p.writePlay("Unlocked: %s (%s).", m.title, Clean(m.key))
	}
	p.explainTurn()
	next := p.user.persona.nextMachine(sc.machine.id, sc.standing.outcome, sc.standing.score, unlocked)
	if next == "" {
		return nil
	}
	p.writePlay("Going on to %s.", p.user.persona.findMachine(next).title)
	return p.openMachine(next, p.requester.enterMachine)
}

// reportStanding says where the player stands: to a person what has changed, in
// sentences, to a program always the same three fields.
func (p *player) reportStanding(before standing) {
	m, at := p.session.machine, p.session.standing
	if !p.opts.Interactive {
		p.writePlay("%s", m.standingLine(at))
		return
	}
	for _, said := range m.changeSentences(before, at, p.user.persona.characterName()) {
		p.writePlay("%s", said)
	}
}

// finishSpeaking says what has not been said of a reply yet, which is all of it
// where nobody listened.
func (p *player) finishSpeaking(whole string) {
	if !p.opts.Interactive {
		p.speakText(whole)
		return
	}
	if rest, whole := p.splitter.unheardRest(whole); whole {
		p.splitter.addWords(rest)
	} else { // The service has thought better of it.
		p.splitter = sentenceSplitter{say: p.writeSentence}
		p.splitter.addWords(rest)
	}
	p.splitter.endWords()
	if !p.splitter.spoken {
		p.writeSentence("...", true)
	}
}

// writeSentence writes one sentence of the character.
func (p *player) writeSentence(text string, first bool) {
	if first {
		p.writePlay("%s: %s", p.user.persona.characterName(), text)
		return
	}
	p.writePlay("  %s", text)
}

// explainTurn says why, with Options.Debug.
func (p *player) explainTurn() {
	if !p.opts.Debug {
		return
	}
	if err := p.explainLast(whyBriefly); err != nil {
		p.writeTalk("%s.", capitalize(p.requester.explainError(err)))
	}
}

// openMachine makes another session the present one.
func (p *player) openMachine(machine string, by func(context.Context, *userSession, string) (*session, error)) error {
	sc, err := by(p.ctx, p.user, machine)
	if err != nil {
		return err
	}
	p.showSession(sc)
	return nil
}

// explainLast tells the author why the last turn went as it did, in the lines that are
// made of it.
func (p *player) explainLast(lines func(*explainedTurn) []string) error {
	turns, _, err := p.requester.explainTurns(p.ctx, p.user, p.session.machine)
	if err != nil || len(turns) == 0 {
		return err
	}
	for _, line := range lines(&turns[len(turns)-1]) {
		p.writePlay("%s", line)
	}
	return nil
}

// showCarried says what the player brings along from other machines. It is said to
// people only, and a failure to learn it is nothing that they could mend.
func (p *player) showCarried() {
	p.machines = nil
	if !p.opts.Interactive || len(p.user.persona.machines) < 2 {
		return
	}
	places, progress, err := p.requester.listMachines(p.ctx, p.user)
	if err != nil {
		return
	}
	p.machines = places
	for _, key := range slices.Sorted(maps.Keys(progress.CrossMachineVars)) {
		p.writePlay("Carried over: %s is %s.", Clean(key), strings.TrimRight(Clean(progress.CrossMachineVars[key]), "."))
	}
}

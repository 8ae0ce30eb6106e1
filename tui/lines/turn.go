package lines

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
)

const (
	// thinkingDelay is how long line mode waits for a reply before it says that the
	// character is thinking.
	thinkingDelay = 3 * time.Second
	// stillDelay is the interval between such reports.
	stillDelay = 30 * time.Second
)

// waitTeller reports a wait for a character: after thinkingDelay, then every stillDelay.
type waitTeller struct {
	*player
	words  string // such as "Mira is thinking"
	next   <-chan time.Time
	waited time.Duration
}

func (p *player) newWaitTeller(words string) *waitTeller {
	return &waitTeller{player: p, words: words, next: p.after(thinkingDelay), waited: thinkingDelay}
}

// sayWait prints the wait, from the second time on with its duration.
func (w *waitTeller) sayWait() {
	passed := ""
	if w.waited > thinkingDelay {
		passed = ", " + inSeconds(w.waited) + " now"
	}
	w.writeTalk("%s%s. Write %s to stop waiting.", w.words, passed, stopWord)
	w.waited, w.next = w.waited+stillDelay, w.after(stillDelay)
}

// stop ends it, because something else was said.
func (w *waitTeller) stop() { w.next = nil }

// SendTurn sends a turn and shows its reply. For a person it retries when that helps; for a program
// the client's own retries must suffice. A turn that could not be sent is kept in p.unsent.
func (p *player) SendTurn(t conversation.Turn) error {
	p.unsent = conversation.Turn{}
	for tries := 0; ; tries++ {
		seen, err := p.checkUnseen()
		if seen != nil {
			return p.showUnseen(seen, t)
		}
		var reply *wire.Reply
		if err == nil {
			if p.opts.Interactive {
				reply, err = p.streamTurn(t)
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

// waitToRetry waits until a failed turn may be sent again, where that helps and
// the player lets it.
func (p *player) waitToRetry(err error, tries int) bool {
	if !p.opts.Interactive || tries >= conversation.MaxRetries || errors.Is(err, errStopped) || p.ctx.Err() != nil {
		return false
	}
	wait, why := p.requester.RetryDelay(err, tries)
	return wait > 0 && p.waitOut(wait, why)
}

// checkUnseen asks whether a turn with a lost answer counted, so that nothing is sent twice. It
// returns nil if it did not.
func (p *player) checkUnseen() (*conversation.Unseen, error) {
	if !p.answerUnseen {
		return nil, nil
	}
	seen, err := p.requester.ReadUnseen(p.ctx, p.User, p.Session, p.Machines)
	if err != nil {
		return nil, err
	}
	if p.answerUnseen = false; !seen.HasTurn(p.lost.Text) {
		return nil, nil // What others have said is found behind the turn.
	}
	return seen, nil
}

// lookAfterEnd returns how a part has ended that was played in another window too, so that
// nobody could hear the turn.
func (p *player) lookAfterEnd(t conversation.Turn, failed error) error {
	seen, err := p.requester.ReadUnseen(p.ctx, p.User, p.Session, p.Machines)
	if err != nil || len(seen.Messages) == 0 {
		p.unsent = t
		return failed
	}
	told := seen.TellUnseen()
	p.writeTalk("%s has ended meanwhile in another window; what you wrote was not sent.", p.Session.Machine.Title)
	p.sayMessages(told)
	p.Session.ID, p.Session.Messages, p.Session.Standing = seen.Session.ID, seen.Session.Messages, seen.Session.Standing
	return p.showChanges(told[len(told)-1].Before, seen.Unlocked)
}

func (p *player) sayMessages(told []conversation.ToldMessage) {
	for _, m := range told {
		p.writePlay("%s", spokenLines(conversation.SpeakerName(p.User, p.Session, m.Role), m.Content))
	}
}

// readMeanwhile reads the messages from another window before a turn, for a person.
func (p *player) readMeanwhile(text string, reply *wire.Reply) *conversation.Meanwhile {
	if !p.opts.Interactive {
		return nil
	}
	return p.requester.ReadMeanwhile(p.ctx, p.User, p.Session, text, reply)
}

// sayMeanwhile prints the messages from another window before the player's turn.
func (p *player) sayMeanwhile(m *conversation.Meanwhile) {
	if m.Anew {
		p.writeTalk("%s was begun again in another window. Before your message there was said:", p.Session.Machine.Title)
	} else {
		p.writeTalk("In another window there was said before your message:")
	}
	p.sayMessages(m.Earlier)
}

// showUnseen returns the answer that was not seen, and goes on as after any turn.
func (p *player) showUnseen(seen *conversation.Unseen, t conversation.Turn) error {
	said := "Your last message had arrived after all; this is the answer."
	if t != p.lost {
		said += " What you have just written was not sent."
	}
	p.writeTalk("%s", said)
	told := seen.TellUnseen()
	p.sayMessages(told[:max(len(told)-2, 0)])
	p.Session.ID, p.Session.Messages, p.Session.Standing = seen.Session.ID, seen.Session.Messages, seen.Session.Standing
	p.speakText(lastSaid(seen.Messages))
	return p.showChanges(told[len(told)-1].Before, seen.Unlocked)
}

// streamTurn sends a turn and prints the reply as it comes, sentence by sentence. A line that is
// typed meanwhile becomes the next one, unless it is the stop word.
func (p *player) streamTurn(t conversation.Turn) (*wire.Reply, error) {
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	words, done, waits := make(chan string), make(chan error, 1), make(chan wire.WaitNotice, 1)
	asking := wire.WithWaitNotice(ctx, func(n wire.WaitNotice) { passNotice(waits, n) })
	var reply *wire.Reply
	go func() {
		var err error
		reply, err = p.requester.SendTurn(asking, p.User, p.Session, t, func(piece string) error { return passPiece(ctx, words, piece) })
		done <- err
	}()
	p.splitter = sentenceSplitter{say: p.writeSentence}
	late := p.newWaitTeller(p.User.Persona.CharacterName() + " is thinking")
	for {
		select {
		case piece := <-words:
			late.stop()
			p.splitter.addWords(piece)
		case <-late.next:
			late.sayWait()
		case n := <-waits:
			late.stop()
			p.tellWait(n)
		case line := <-p.comingLines():
			p.keepLine(line, cancel)
		case err := <-done:
			return reply, p.endStream(ctx, err)
		}
	}
}

// passNotice replaces the pending notice by the newest one, and never blocks.
func passNotice(waits chan wire.WaitNotice, n wire.WaitNotice) {
	select {
	case <-waits:
	default:
	}
	waits <- n
}

// tellWait reports that the model's provider is waited for.
func (p *player) tellWait(n wire.WaitNotice) {
	said := fmt.Sprintf("%s: it is asked again in %s.", conversation.Capitalize(n.Sentence()), inSeconds(n.Wait()))
	if p.opts.Interactive {
		said += fmt.Sprintf(" Write %s to stop waiting.", stopWord)
	}
	p.writeTalk("%s", said)
}

// passPiece sends a piece to the receiver, or returns why nobody receives it.
func passPiece(ctx context.Context, words chan<- string, piece string) error {
	select {
	case words <- piece:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// endStream ends a turn: the printed part of a broken reply does not count.
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

// inSeconds returns a wait for reading aloud.
func inSeconds(d time.Duration) string {
	if n := int((d + time.Second - 1) / time.Second); n != 1 {
		return fmt.Sprintf("%d seconds", n)
	}
	return "1 second"
}

// showReply prints a turn's result: the reply, then its changes.
func (p *player) showReply(text string, reply *wire.Reply) error {
	sc, before := p.Session, p.Session.Standing
	p.finishSpeaking(reply.Message)
	meanwhile := p.readMeanwhile(text, reply)
	p.Spent.AddTokens(reply.Tokens)
	sc.AddTurn(text, reply)
	if p.opts.Interactive {
		sc.Nearly = p.requester.ReadNearly(p.ctx, p.User, sc, reply)
	}
	if meanwhile != nil {
		sc.ID, sc.Messages = meanwhile.Session.ID, meanwhile.Session.Messages
	}
	if meanwhile != nil && len(meanwhile.Earlier) > 0 {
		p.sayMeanwhile(meanwhile)
		before = meanwhile.Before
	}
	return p.showChanges(before, reply.Unlocked)
}

// showChanges prints a turn's changes, state, score, redirects, ending, then the unlocked parts,
// and goes on to the machine that this leads to.
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

// reportStanding prints the player's state: for a person the changes, in sentences, and for a
// program always the same three fields.
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

// finishSpeaking prints the rest of a reply, which is all of it for a program.
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
		p.writePlay("%s: %s", p.User.Persona.CharacterName(), text)
		return
	}
	p.writePlay("  %s", text)
}

// explainLast returns the author why the last turn went as it did, in the lines that are
// made of it.
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

// showCarried prints what the player carries over from other machines. It only does so for people,
// and ignores a failure to read it, because they could not fix it.
func (p *player) showCarried() {
	p.Machines = nil
	if !p.opts.Interactive || len(p.User.Persona.Machines) < 2 {
		return
	}
	places, progress, err := p.requester.ListMachines(p.ctx, p.User)
	if err != nil {
		return
	}
	p.Machines = places
	if p.User.CollectCompleted(progress.CompletedMachines) {
		_ = p.requester.KeepEndings(p.User)() // It is tried again at the next ending, and said there.
	}
	if p.Session.Resumed {
		return
	}
	for _, line := range p.User.Persona.ListCarried(p.Session.Machine, progress.CrossMachineVars) {
		p.writePlay("Carried over. %s.", line)
	}
}

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
const plainPatience = 3 * time.Second

// say makes a turn. Where somebody sits there it is sent again by itself when
// that helps; else that is the service's caller's. What could not be sent is kept.
func (p *plain) say(t turn) error {
	p.unsent = turn{}
	for tries := 0; ; tries++ {
		seen, err := p.arrived()
		if seen != nil {
			return p.catchUp(seen, t)
		}
		var reply *wire.Reply
		if err == nil {
			reply, err = p.try(t)
		}
		if err == nil {
			return p.answer(t.text, reply)
		}
		p.unsure = p.unsure || p.desk.counted(err)
		p.lost = t
		if !p.perseveres(err, tries) {
			p.unsent = t
			return err
		}
	}
}

// perseveres waits until a failed turn may be sent again, where that helps and
// the player lets it.
func (p *plain) perseveres(err error, tries int) bool {
	if !p.opts.Interactive || tries >= maxTries || errors.Is(err, errStopped) || p.ctx.Err() != nil {
		return false
	}
	wait, why := p.desk.patience(err, tries)
	return wait > 0 && p.holdOut(wait, why)
}

// arrived looks after a turn whose answer was lost whether that one counted, so
// that nothing is said twice; nil when it did not.
func (p *plain) arrived() (*missed, error) {
	if !p.unsure {
		return nil, nil
	}
	seen, err := p.desk.missed(p.ctx, p.visit, p.scene, p.places)
	if err != nil {
		return nil, err
	}
	if p.unsure = false; len(seen.news) == 0 {
		return nil, nil
	}
	return seen, nil
}

// try sends a turn once.
func (p *plain) try(t turn) (*wire.Reply, error) {
	if !p.opts.Interactive {
		return p.desk.make(p.ctx, p.visit, p.scene, t, nil)
	}
	return p.listen(t)
}

// catchUp says the answer that was not seen, and goes on as after any turn.
func (p *plain) catchUp(seen *missed, t turn) error {
	said := "Your last message had arrived after all; this is the answer."
	if t != p.lost {
		said += " What you have just written was not sent."
	}
	p.tell("%s", said)
	before := p.scene.at
	p.scene.messages, p.scene.at = seen.scene.messages, seen.scene.at
	p.speak(lastSaid(seen.news))
	return p.turned(before, seen.unlocked)
}

// listen sends a turn and says the reply as it comes, sentence by sentence. A
// line that is typed meanwhile is the next one, unless it is the stop word.
func (p *plain) listen(t turn) (*wire.Reply, error) {
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	words, done := make(chan string), make(chan error, 1)
	var reply *wire.Reply
	go func() {
		var err error
		reply, err = p.desk.make(ctx, p.visit, p.scene, t, func(piece string) error { return hand(ctx, words, piece) })
		done <- err
	}()
	p.voice = voice{say: p.sentence}
	late := p.after(plainPatience)
	for {
		select {
		case piece := <-words:
			late = nil
			p.voice.add(piece)
		case <-late:
			late = nil
			p.tell("%s is thinking. Write %s to stop waiting.", p.visit.cast.characterName(), stopWord)
		case line := <-p.typing():
			p.heed(line, cancel)
		case err := <-done:
			return reply, p.heard(ctx, err)
		}
	}
}

// hand gives a piece to whoever listens, or says why nobody does.
func hand(ctx context.Context, words chan<- string, piece string) error {
	select {
	case words <- piece:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// heard ends a turn: what was said of a reply that broke off does not count.
func (p *plain) heard(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	p.voice.end()
	if p.voice.spoken {
		p.tell("The reply broke off. What you have heard of it is not kept.")
	}
	if errors.Is(context.Cause(ctx), errStopped) {
		return errStopped
	}
	return err
}

// holdOut waits until a turn can be sent again, and says false when the player
// does not want that, or wants to leave.
func (p *plain) holdOut(wait time.Duration, why string) bool {
	p.tell("Not sent yet: %s. It is sent again in %s. Write %s to keep your words instead.", strings.TrimRight(why, "?."), inSeconds(wait), stopWord)
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	over := p.after(wait)
	for !p.leaving() {
		select {
		case <-over:
			return true
		case line := <-p.typing():
			p.heed(line, cancel)
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

// answer says what a turn has brought: the reply, then what it has changed.
func (p *plain) answer(text string, reply *wire.Reply) error {
	sc, before := p.scene, p.scene.at
	sc.at = standingOf(reply)
	p.spent.add(reply.Tokens)
	sc.messages = append(sc.messages,
		wire.HistoryMessage{Role: wire.RoleUser, Content: text},
		wire.HistoryMessage{Role: wire.RoleAssistant, Content: reply.Message})
	p.finishSpeaking(reply.Message)
	return p.turned(before, reply.Unlocked)
}

// turned says what a turn has changed, state, score, redirects, ending, then what
// was unlocked, and goes on to the machine to which that leads.
func (p *plain) turned(before standing, unlocked []string) error {
	sc := p.scene
	p.report(before)
	for _, id := range unlocked {
		m := p.visit.cast.machine(id)
		p.put("Unlocked: %s (%s).", m.title, Clean(m.key))
	}
	p.explainTurn()
	next := p.visit.cast.next(sc.machine.id, sc.at.outcome, sc.at.score, unlocked)
	if next == "" {
		return nil
	}
	p.put("Going on to %s.", p.visit.cast.machine(next).title)
	return p.goTo(next, p.desk.enter)
}

// report says where the player stands: to a person what has changed, in
// sentences, to a program always the same three fields.
func (p *plain) report(before standing) {
	m, at := p.scene.machine, p.scene.at
	if !p.opts.Interactive {
		p.put("%s", m.line(at))
		return
	}
	for _, said := range m.changes(before, at, p.visit.cast.characterName()) {
		p.put("%s", said)
	}
}

// finishSpeaking says what has not been said of a reply yet, which is all of it
// where nobody listened.
func (p *plain) finishSpeaking(whole string) {
	if !p.opts.Interactive {
		p.speak(whole)
		return
	}
	if rest, whole := p.voice.rest(whole); whole {
		p.voice.add(rest)
	} else { // The service has thought better of it.
		p.voice = voice{say: p.sentence}
		p.voice.add(rest)
	}
	p.voice.end()
	if !p.voice.spoken {
		p.sentence("...", true)
	}
}

// sentence writes one sentence of the character.
func (p *plain) sentence(text string, first bool) {
	if first {
		p.put("%s: %s", p.visit.cast.characterName(), text)
		return
	}
	p.put("  %s", text)
}

// explainTurn says why, with Options.Debug.
func (p *plain) explainTurn() {
	if !p.opts.Debug {
		return
	}
	if err := p.why(whyBriefly); err != nil {
		p.tell("%s.", capital(p.desk.explain(err)))
	}
}

// goTo makes another session the present one.
func (p *plain) goTo(machine string, by func(context.Context, *visit, string) (*scene, error)) error {
	sc, err := by(p.ctx, p.visit, machine)
	if err != nil {
		return err
	}
	p.show(sc)
	return nil
}

// why tells the author why the last turn went as it did, in the lines that are
// made of it.
func (p *plain) why(lines func(*judged) []string) error {
	turns, _, err := p.desk.author(p.ctx, p.visit, p.scene.machine)
	if err != nil || len(turns) == 0 {
		return err
	}
	for _, line := range lines(&turns[len(turns)-1]) {
		p.put("%s", line)
	}
	return nil
}

// carryOver says what the player brings along from other machines. It is said to
// people only, and a failure to learn it is nothing that they could mend.
func (p *plain) carryOver() {
	p.places = nil
	if !p.opts.Interactive || len(p.visit.cast.machines) < 2 {
		return
	}
	places, progress, err := p.desk.places(p.ctx, p.visit)
	if err != nil {
		return
	}
	p.places = places
	for _, key := range slices.Sorted(maps.Keys(progress.CrossMachineVars)) {
		p.put("Carried over: %s is %s.", Clean(key), strings.TrimRight(Clean(progress.CrossMachineVars[key]), "."))
	}
}

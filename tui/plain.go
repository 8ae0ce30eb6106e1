package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// Plain plays in line mode (see the package's description) until an ending, the
// end of the input or ctx. Where nobody can be asked it returns ErrNoPersona
// without a persona, plays as "Player" (non-binary) when it is not told who
// plays, and returns the first message's error that could not be sent; where
// somebody can, it asks, and says one line about a failure and goes on.
func Plain(ctx context.Context, opts Options) error {
	opts = opts.withDefaults()
	if err := opts.check(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return newPlain(ctx, opts).run()
}

func newPlain(ctx context.Context, opts Options) *plain {
	out := &output{opts}
	in := &lineInput{output: out, ctx: ctx, lines: readLines(ctx, opts.In)}
	return &plain{output: out, lineInput: in, ctx: ctx, desk: newDesk(opts), after: opts.After}
}

// run plays, and ends as Plain says.
func (p *plain) run() error {
	err := p.play()
	defer p.count()
	if errors.Is(err, io.EOF) || p.ctx.Err() != nil {
		p.talk("") // The last prompt still stands on its line.
	}
	if errors.Is(err, io.EOF) || errors.Is(err, errLeave) {
		return nil
	}
	return err
}

// errLeave ends the play because the player wants it.
var errLeave = errors.New("the player leaves")

// Who plays when nobody can be asked.
const (
	defaultName   = "Player"
	defaultGender = "non-binary"
)

// plain is one play in line mode.
type plain struct {
	*output
	*lineInput
	ctx   context.Context
	desk  *desk
	visit *visit
	scene *scene
	sure  bool // /reset was said once
	spent spending
	// places are the machines as they stood when the scene began, nil where they were
	// not read.
	places []place

	told   *scene // the ended one whose ending was said
	unsure bool   // the last turn's answer was not seen
	lost   turn   // the turn that failed last
	unsent turn   // what was not sent, to be sent again
	voice  voice
	// after gives the time when some has passed.
	after func(time.Duration) <-chan time.Time
}

// count says at the end what the chat has cost, where it has cost anything.
func (p *plain) count() {
	if p.spent.any() {
		p.tell("%s", p.spent.sentence())
	}
}

func (p *plain) play() error {
	persona, err := p.pick()
	if err != nil {
		return err
	}
	given := Known{PlayerName: p.opts.PlayerName, PlayerGender: p.opts.PlayerGender}
	if p.visit, err = p.desk.visit(p.ctx, persona, given, p.opts.NewSession); err != nil {
		return err
	}
	if err := p.introduce(); err != nil {
		return err
	}
	sc, err := p.desk.enter(p.ctx, p.visit, p.opts.Machine)
	if err != nil {
		return err
	}
	p.talk("Talking to %s in %s as %s. /help lists the commands.", p.visit.cast.characterName(), sc.machine.title, Clean(p.visit.who.PlayerName))
	p.show(sc)
	return p.turns()
}

func (p *plain) pick() (string, error) {
	if p.opts.Persona != "" {
		return p.opts.Persona, nil
	}
	if !p.opts.Interactive {
		return "", ErrNoPersona
	}
	items, err := p.desk.published(p.ctx)
	if err != nil {
		return "", err
	}
	if len(items) == 0 {
		return "", ErrNoPersonas
	}
	p.tell("%s", strings.Join(personaLines(items, ""), "\n"))
	for {
		line, err := p.ask("Whom do you want to talk to? Number, or words to search for: ")
		if err != nil {
			return "", err
		}
		if item, found := numbered(items, line.text); found {
			return item.ID, nil
		}
		p.tell("%s", strings.Join(searched(items, line.text), "\n"))
	}
}

// introduce learns who plays.
func (p *plain) introduce() error {
	who := &p.visit.who
	if !p.opts.Interactive {
		if who.PlayerName == "" {
			who.PlayerName = defaultName
		}
		if who.PlayerGender == "" {
			who.PlayerGender = defaultGender
		}
		return nil
	}
	for who.PlayerName == "" {
		line, err := p.ask("Your name: ")
		if err != nil {
			return err
		}
		if who.PlayerName = strings.TrimSpace(line.text); characters(who.PlayerName) > wire.MaxPlayerName {
			p.tell("A name may have %d characters.", wire.MaxPlayerName)
			who.PlayerName = ""
		}
	}
	if isGender(who.PlayerGender) {
		return nil
	}
	p.tell("1. female  2. male  3. non-binary")
	i, err := p.choose("You are, by number: ", len(wire.Genders))
	if err == nil {
		who.PlayerGender = wire.Genders[i]
	}
	return err
}

// show makes a scene the present one and says where it stands.
func (p *plain) show(sc *scene) {
	p.scene, p.unsure, p.sure, p.unsent = sc, false, false, turn{}
	p.spent.add(sc.tokens)
	if sc.warning != "" {
		p.tell("%s", sc.warning)
	}
	if sc.resumed {
		p.talk("Going on where you were, after %s; /history reads them.", counting(len(sc.messages), "message"))
	}
	p.carryOver()
	if said := lastSaid(sc.messages); said != "" {
		p.speak(said)
	}
	p.report(standing{redirects: -1, score: sc.at.score})
}

// counting is a number of things: "1 message", "2 messages".
func counting(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func lastSaid(messages []wire.HistoryMessage) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == wire.RoleAssistant {
			return m.Content
		}
	}
	return ""
}

// speak says a whole text of the character.
func (p *plain) speak(text string) {
	if !p.opts.Interactive {
		p.put("%s", spoken(p.visit.cast.characterName(), text))
		return
	}
	p.voice = voice{say: p.sentence}
	p.finishSpeaking(text)
}

// spoken is a turn as lines: "NAME: text", further lines indented.
func spoken(name, text string) string {
	var said []string
	for line := range strings.Lines(CleanLines(text)) {
		if line = strings.TrimSpace(line); line != "" {
			said = append(said, line)
		}
	}
	if len(said) == 0 {
		return name + ": ..."
	}
	return name + ": " + strings.Join(said, "\n  ")
}

// turns plays until it is over. A finished machine stays open to somebody who
// can choose what comes next.
func (p *plain) turns() error {
	for !p.scene.at.finished() || p.stays() {
		line, err := p.ask("You: ")
		if err != nil {
			return err
		}
		if err := p.take(line); err != nil {
			return err
		}
	}
	return nil
}

// stays tells whether somebody can choose what comes next, and says it once.
func (p *plain) stays() bool {
	if p.opts.Interactive && p.told != p.scene {
		p.sayEnded()
	}
	return p.opts.Interactive
}

func (p *plain) sayEnded() {
	p.told = p.scene
	p.tell("%s has ended: /machines goes on, /reset plays it again, /quit leaves.", p.scene.machine.title)
}

func (p *plain) take(line typed) error {
	if line.tooLong {
		p.tell("Not sent: a message may have %d characters.", wire.MaxMessage)
		return nil
	}
	if strings.TrimSpace(line.text) == "" {
		return p.again()
	}
	cmd, arg, text, err := ParseLine[error](line.text)
	switch {
	case err != nil:
		p.tell("%s.", capital(err.Error()))
		return nil
	case cmd != nil:
		return p.obey(cmd, arg)
	case p.scene.at.finished():
		p.sayEnded()
		return nil
	}
	p.sure = false
	return p.notSent(p.say(p.turnOf(text)))
}

// turnOf is the turn that a text makes. The words of a turn that may have counted
// are that turn again.
func (p *plain) turnOf(text string) turn {
	if p.unsure && p.lost.text == text {
		return p.lost
	}
	return p.desk.newTurn(text)
}

// again sends what was not sent; nothing else is meant by an empty line.
func (p *plain) again() error {
	if p.unsent.text == "" {
		return nil
	}
	return p.notSent(p.say(p.unsent))
}

// notSent says why a turn was not made, and what becomes of its words.
func (p *plain) notSent(err error) error {
	switch {
	case errors.Is(err, errStopped):
		err = nil
		p.tell("Stopped.")
	case isMissing(err) && p.opts.Interactive:
		err = nil
		p.tell("Not sent: the service does not know this session any more. Write /reset to begin it again.")
	}
	err = p.failing("not sent", err)
	if p.unsent.text != "" && p.opts.Interactive {
		p.tell("Your words are kept: an empty line sends them again.")
	}
	return err
}

// failing says a failure to somebody who sits there, and returns it otherwise.
func (p *plain) failing(what string, err error) error {
	if err == nil || errors.Is(err, errLeave) || p.ctx.Err() != nil {
		return err
	}
	if !p.opts.Interactive {
		return fmt.Errorf("%s: %w", what, err)
	}
	p.tell("%s: %s", capital(what), ended(p.desk.explain(err)))
	return nil
}

// ended is a sentence with its end.
func ended(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") {
		return s
	}
	return s + "."
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

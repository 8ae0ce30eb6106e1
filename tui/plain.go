package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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
	p := &plain{ctx: ctx, opts: opts, desk: newDesk(opts), lines: readLines(ctx, opts.In)}
	err := p.play()
	defer p.count()
	if errors.Is(err, io.EOF) {
		p.talk("") // The last prompt still stands on its line.
		return nil
	}
	if errors.Is(err, errLeave) {
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
	ctx    context.Context
	opts   Options
	desk   *desk
	lines  <-chan typed
	visit  *visit
	scene  *scene
	unsure bool // the last turn's answer was not seen
	sure   bool // /reset was said once
	spent  spending
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

// talk says something to whoever sits there; scripts are left alone.
func (p *plain) talk(format string, args ...any) {
	if p.opts.Interactive {
		p.tell(format, args...)
	}
}

// tell says something beside the play.
func (p *plain) tell(format string, args ...any) {
	fmt.Fprintf(p.opts.Err, format+"\n", args...)
}

// put writes a line of the play.
func (p *plain) put(format string, args ...any) {
	fmt.Fprintf(p.opts.Out, format+"\n", args...)
}

// ask reads one line, after a prompt where somebody sits there.
func (p *plain) ask(prompt string) (typed, error) {
	if p.opts.Interactive {
		fmt.Fprint(p.opts.Err, prompt)
	}
	select {
	case line, ok := <-p.lines:
		if !ok { // The input has ended, or the reader gave up with the context.
			return typed{}, cmp.Or(p.ctx.Err(), io.EOF)
		}
		return line, line.err
	case <-p.ctx.Done():
		return typed{}, p.ctx.Err()
	}
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
	for i, item := range items {
		p.tell("%d. %s: %s", i+1, Clean(item.Name), Clean(item.Description))
	}
	i, err := p.choose("Whom do you want to talk to? Number: ", len(items))
	if err != nil {
		return "", err
	}
	return items[i].ID, nil
}

// choose asks until it gets a number from 1 to n, and gives the index.
func (p *plain) choose(prompt string, n int) (int, error) {
	for {
		line, err := p.ask(prompt)
		if err != nil {
			return 0, err
		}
		if i, err := strconv.Atoi(strings.TrimSpace(line.text)); err == nil && i >= 1 && i <= n {
			return i - 1, nil
		}
		p.tell("Write a number from 1 to %d.", n)
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
	p.scene, p.unsure, p.sure = sc, false, false
	p.spent.add(sc.tokens)
	if sc.warning != "" {
		p.tell("%s", sc.warning)
	}
	if sc.resumed {
		p.talk("Going on where you were, after %d messages; /history reads them.", len(sc.messages))
	}
	if said := lastSaid(sc.messages); said != "" {
		p.speak(said)
	}
	p.put("%s", sc.machine.line(sc.at))
}

func lastSaid(messages []wire.HistoryMessage) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == wire.RoleAssistant {
			return m.Content
		}
	}
	return ""
}

func (p *plain) speak(text string) { p.put("%s", spoken(p.visit.cast.characterName(), text)) }

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

func (p *plain) stays() bool {
	if !p.opts.Interactive {
		return false
	}
	p.tell("%s has ended: /machines goes on, /reset plays it again, /quit leaves.", p.scene.machine.title)
	return true
}

func (p *plain) take(line typed) error {
	if line.tooLong {
		p.tell("Not sent: a message may have %d characters.", wire.MaxMessage)
		return nil
	}
	if strings.TrimSpace(line.text) == "" {
		return nil
	}
	cmd, arg, text, err := parseCommand(line.text)
	switch {
	case err != nil:
		p.tell("%s.", capital(err.Error()))
		return nil
	case cmd != nil:
		return p.obey(cmd.Name, arg)
	case p.scene.at.finished():
		return nil
	}
	p.sure = false
	return p.failing("not sent", p.say(text))
}

// failing says a failure to somebody who sits there, and returns it otherwise.
func (p *plain) failing(what string, err error) error {
	if err == nil || errors.Is(err, errLeave) || p.ctx.Err() != nil {
		return err
	}
	if !p.opts.Interactive {
		return fmt.Errorf("%s: %w", what, err)
	}
	p.tell("%s: %s.", capital(what), strings.TrimSuffix(p.desk.explain(err), "."))
	return nil
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// say makes a turn. After a turn whose answer was lost it looks first whether
// that one counted, so that nothing is said twice.
func (p *plain) say(text string) error {
	if p.unsure {
		seen, err := p.desk.look(p.ctx, p.visit, p.scene)
		if err != nil {
			return err
		}
		if len(seen.messages) > len(p.scene.messages) {
			p.tell("Your last message had arrived after all; this is the answer. What you have just written was not sent.")
			seen.resumed = false
			p.show(seen)
			return nil
		}
		p.unsure = false
	}
	reply, err := p.desk.say(p.ctx, p.visit, p.scene, text)
	if err != nil {
		p.unsure = counted(err)
		return err
	}
	return p.answer(text, reply)
}

func (p *plain) answer(text string, reply *wire.Reply) error {
	sc := p.scene
	sc.at = standingOf(reply)
	p.spent.add(reply.Tokens)
	sc.messages = append(sc.messages,
		wire.HistoryMessage{Role: wire.RoleUser, Content: text},
		wire.HistoryMessage{Role: wire.RoleAssistant, Content: reply.Message})
	p.speak(reply.Message)
	p.put("%s", sc.machine.line(sc.at))
	for _, id := range reply.Unlocked {
		m := p.visit.cast.machine(id)
		p.put("Unlocked: %s (%s).", m.title, Clean(m.key))
	}
	next := p.visit.cast.next(sc.machine.id, sc.at.outcome, sc.at.score, reply.Unlocked)
	if next == "" {
		return nil
	}
	p.put("Going on to %s.", p.visit.cast.machine(next).title)
	return p.goTo(next, p.desk.enter)
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

func (p *plain) obey(name, arg string) error {
	again := p.sure && name == commandReset
	p.sure = false
	switch name {
	case commandHelp:
		p.help()
	case commandMachines:
		return p.failing("the machines could not be read", p.machines(arg))
	case commandProgress:
		return p.failing("the progress could not be read", p.progress())
	case commandHistory:
		return p.failing("the history could not be read", p.history())
	case commandReset:
		return p.failing("not reset", p.reset(again))
	case commandQuit:
		return errLeave
	}
	return nil
}

func (p *plain) help() {
	for _, c := range Commands() {
		p.tell("%s: %s", c.Usage(), c.Help)
	}
}

func (p *plain) machines(arg string) error {
	places, _, err := p.desk.places(p.ctx, p.visit)
	if err != nil {
		return err
	}
	if arg == "" {
		p.put("%s", strings.Join(placeLines(places), "\n"))
		return nil
	}
	at, err := findPlace(places, arg)
	if err != nil { // A slip of the player's, not a failure: play goes on.
		p.tell("%s.", capital(err.Error()))
		return nil
	}
	return p.goTo(at.id, p.desk.enter)
}

// findPlace finds a machine by its number in the list or by its key.
func findPlace(places []place, arg string) (place, error) {
	n, _ := strconv.Atoi(arg)
	for i, at := range places {
		if i+1 != n && at.key != arg && at.id != arg {
			continue
		}
		if at.status == placeLocked {
			return at, fmt.Errorf("%s is locked: %s", at.title, at.hint)
		}
		return at, nil
	}
	return place{}, fmt.Errorf("there is no machine %q: /machines lists them", Clean(arg))
}

func (p *plain) progress() error {
	places, progress, err := p.desk.places(p.ctx, p.visit)
	if err != nil {
		return err
	}
	p.put("%s", strings.Join(progressWords(progress, places), "\n"))
	return nil
}

func (p *plain) history() error {
	seen, err := p.desk.look(p.ctx, p.visit, p.scene)
	if err != nil {
		return err
	}
	for _, m := range seen.messages {
		p.put("%s", spoken(speaker(p.visit, m.Role), m.Content))
	}
	return nil
}

func speaker(v *visit, role string) string {
	if role == wire.RoleUser {
		return Clean(v.who.PlayerName)
	}
	return v.cast.characterName()
}

// reset asks somebody who sits there to say it twice.
func (p *plain) reset(again bool) error {
	if p.opts.Interactive && !again {
		p.sure = true
		p.tell("%s", resetWarning(p.scene.machine))
		return nil
	}
	sc, err := p.desk.reset(p.ctx, p.visit, p.scene.machine)
	if err != nil {
		return err
	}
	p.show(sc)
	return nil
}

func resetWarning(m *machine) string {
	return fmt.Sprintf("This clears the conversation in %s. Write /reset once more to do it.", m.title)
}

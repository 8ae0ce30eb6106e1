package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
)

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
	case commandState:
		return p.failing("where you stand could not be read", p.state())
	case commandHistory:
		return p.failing("the history could not be read", p.history())
	case commandSearch:
		return p.failing("the history could not be read", p.search(arg))
	case commandPersonas:
		return p.failing("you stay here", p.personas(arg))
	case commandReset:
		return p.failing("not reset", p.reset(again))
	case commandWhy:
		return p.failing("why is not told", p.why(whyLines))
	case commandDirect:
		return p.failing("not directed", p.direct(arg))
	case commandExport, commandSavePlay:
		return p.failing("not saved", p.save(name, arg))
	case commandSessions:
		return p.failing("the sessions could not be read", p.sessions(arg))
	case commandNew:
		return p.failing("no new session", p.revisit(p.visit.who, true))
	case commandQuit:
		return errLeave
	default:
		p.tell("/%s needs the full screen: start the chat in a terminal without --plain.", name)
	}
	return nil
}

func (p *plain) help() {
	for _, c := range Commands() {
		switch {
		case c.Screen:
		case p.opts.Interactive:
			p.tell("/%s: %s%s", c.Name, c.Help, c.followed())
		default:
			p.tell("%s: %s", c.PlainUsage(), c.Help)
		}
	}
}

// followed says a command's arguments as they are read aloud, without brackets.
func (c *Command) followed() string {
	var parts []string
	for part := range strings.FieldsFuncSeq(cmp.Or(c.PlainArgs, c.Args), func(r rune) bool { return r == '[' || r == ']' }) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, strings.ReplaceAll(part, " | ", " or "))
		}
	}
	if parts == nil {
		return ""
	}
	return " It can be followed by " + strings.Join(parts, ", then ") + "."
}

// save writes what was said into a file, or saves it as a play-through.
func (p *plain) save(name, arg string) error {
	by := p.desk.export
	if name == commandSavePlay {
		by = p.desk.savePlay
	}
	said, err := by(p.ctx, p.visit, p.opts, arg)
	if errors.Is(err, errNoFormat) { // A slip of the player's, not a failure: play goes on.
		p.tell("%s.", capital(err.Error()))
		return nil
	}
	for _, line := range said {
		p.tell("%s", Clean(line))
	}
	return err
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

// direct lists what words can do in the present state, or does one of it.
func (p *plain) direct(arg string) error {
	if p.scene.at.finished() {
		p.tell("%s has ended: there is nothing to direct.", p.scene.machine.title)
		return nil
	}
	if !p.opts.Directed {
		if err := p.desk.directable(p.ctx, p.visit, p.scene.machine); err != nil {
			return err
		}
	}
	list := p.scene.machine.verdicts(p.scene.at)
	if arg == "" {
		p.put("%s", strings.Join(verdictLines(list), "\n"))
		return nil
	}
	text, err := directedAs(list, arg)
	if err != nil { // A slip of the player's, not a failure: play goes on.
		p.tell("%s.", capital(err.Error()))
		return nil
	}
	return p.say(p.desk.newTurn(text))
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

func (p *plain) machines(arg string) error {
	places, _, err := p.desk.places(p.ctx, p.visit)
	if err != nil {
		return err
	}
	if arg == "" {
		p.put("%s", strings.Join(placeLines(places), "\n"))
		if p.opts.Interactive {
			p.put("You are in %s.", p.scene.machine.title)
		}
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

package tui

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas"
)

// verdict is what a director can ask of the offline model in the present state
// (docs/persona-file.md, section 5). mark is what the message ends in, about
// when the evaluator would choose it by itself; both texts are clean.
type verdict struct{ words, about, mark string }

// verdicts are the state's outgoing transitions in the order in which they are
// tried, then what needs no transition.
func (m *machine) verdicts(at standing) []verdict {
	var list []verdict
	redirects := false
	for n, i := range m.outgoing(at.state) {
		t := &m.moves[i]
		redirects = redirects || t.Decision == personas.DecideRedirect
		list = append(list, verdict{m.moveEffect(i), Clean(t.Condition), fmt.Sprintf("[[%d]]", n+1)})
	}
	if !redirects {
		list = append(list, verdict{decisionWords(personas.DecideRedirect), "needs no transition", "[[" + string(personas.DecideRedirect) + "]]"})
	}
	if !at.followUp {
		list = append(list, verdict{"follow up", "nothing moves, the character asks to hear more", "[[" + personas.FollowUpName + "]]"})
	}
	return list
}

// errNotDirected refuses a director where a model plays that has its own mind.
var errNotDirected = errors.New("only the built-in offline model takes directions, and another one plays here")

// directable tells whether the offline model plays, which the trace says to the
// persona's author.
func (d *desk) directable(ctx context.Context, v *visit, m *machine) error {
	_, offline, err := d.author(ctx, v, m)
	switch {
	case err != nil:
		return fmt.Errorf("only the built-in offline model takes directions: %w", err)
	case !offline:
		return errNotDirected
	}
	return nil
}

// directedAs is a text with what it is to do, which is named by its number in
// the list.
func directedAs(list []verdict, arg string) (string, error) {
	number, text, _ := strings.Cut(arg, " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(list) {
		return "", fmt.Errorf("there is no %q to choose, it goes from 1 to %d: /direct lists it", Clean(number), len(list))
	}
	return strings.TrimSpace(strings.TrimSpace(text) + " " + list[n-1].mark), nil
}

// verdictLines are the list as lines of text.
func verdictLines(list []verdict) []string {
	lines := make([]string, len(list))
	for i, v := range list {
		lines[i] = fmt.Sprintf("%d. %s", i+1, v.words)
		if v.about != "" {
			lines[i] += ": " + v.about
		}
		lines[i] = strings.TrimRight(lines[i], ".") + "."
	}
	return lines
}

// newDirector is the list of verdicts over the chat; Enter says the input's words
// with the one that is chosen.
func (a *actions) newDirector(list []verdict) overlay {
	choices := make([]choice, len(list))
	for i, v := range list {
		choices[i] = choice{title: v.words, about: v.about, tag: v.mark}
	}
	return &chooser{
		env: a.env, menu: newMenu(a.st, a.keys, choices, "search"), close: a.keys.Director,
		title:  "Director: what your words do, " + a.scene.machine.state(a.scene.at.state).title,
		foot:   "Enter says the input's words so, Esc goes back",
		choose: func(i int) (tea.Cmd, bool) { return a.direct(list[i].mark), true },
	}
}

// direct says what stands in the input with a mark behind it.
func (a *actions) direct(mark string) tea.Cmd {
	if a.wait != nil {
		a.trouble = a.oneMoment()
		return nil
	}
	a.input.set(strings.TrimSpace(a.input.value() + " " + mark))
	return a.send()
}

// DirectModel opens the list of verdicts, or says what arg asks for of it, where
// the offline model plays.
func (a *actions) DirectModel(arg string) tea.Cmd {
	switch {
	case a.scene.at.finished():
		a.trouble = a.scene.machine.title + " has ended: there is nothing to direct"
		return nil
	case a.opts.Directed:
		return a.directionAsked(directionAskedMsg{a.scene.session, arg, nil})
	}
	v, m, session := a.visit, a.scene.machine, a.scene.session
	return func() tea.Msg { return directionAskedMsg{session, arg, a.desk.directable(a.ctx, v, m)} }
}

// directionAskedMsg: whether directions can be given.
type directionAskedMsg struct {
	session, arg string
	err          error
}

func (a *actions) directionAsked(msg directionAskedMsg) tea.Cmd {
	list := a.scene.machine.verdicts(a.scene.at)
	switch {
	case msg.session != a.scene.session || a.scene.at.finished():
	case msg.err != nil:
		a.trouble = a.desk.explain(msg.err)
	case msg.arg == "":
		a.open(a.newDirector(list))
	default:
		text, err := directedAs(list, msg.arg)
		if err != nil {
			a.trouble = err.Error()
			return nil
		}
		a.input.set(text)
		return a.send()
	}
	return nil
}

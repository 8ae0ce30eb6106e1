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
func (c *chat) newDirector(list []verdict) overlay {
	choices := make([]choice, len(list))
	for i, v := range list {
		choices[i] = choice{title: v.words, about: v.about, tag: v.mark}
	}
	return &chooser{
		env: c.env, menu: newMenu(c.st, c.keys, choices, "search"), close: c.keys.Director,
		title:  "Director: what your words do, " + c.scene.machine.state(c.scene.at.state).title,
		foot:   "Enter says the input's words so, Esc goes back",
		choose: func(i int) (tea.Cmd, bool) { return c.direct(list[i].mark), true },
	}
}

// direct says what stands in the input with a mark behind it.
func (c *chat) direct(mark string) tea.Cmd {
	if c.wait != nil {
		c.trouble = c.oneMoment()
		return nil
	}
	c.input.set(strings.TrimSpace(c.input.value() + " " + mark))
	return c.send()
}

// directCommand opens the list of verdicts, or says what arg asks for of it, where
// the offline model plays.
func (c *chat) directCommand(arg string) tea.Cmd {
	switch {
	case c.scene.at.finished():
		c.trouble = c.scene.machine.title + " has ended: there is nothing to direct"
		return nil
	case c.opts.Directed:
		return c.directionAsked(directionAskedMsg{c.scene.session, arg, nil})
	}
	v, m, session := c.visit, c.scene.machine, c.scene.session
	return func() tea.Msg { return directionAskedMsg{session, arg, c.desk.directable(c.ctx, v, m)} }
}

// directionAskedMsg: whether directions can be given.
type directionAskedMsg struct {
	session, arg string
	err          error
}

func (c *chat) directionAsked(msg directionAskedMsg) tea.Cmd {
	list := c.scene.machine.verdicts(c.scene.at)
	switch {
	case msg.session != c.scene.session || c.scene.at.finished():
	case msg.err != nil:
		c.trouble = c.desk.explain(msg.err)
	case msg.arg == "":
		c.open(c.newDirector(list))
	default:
		text, err := directedAs(list, msg.arg)
		if err != nil {
			c.trouble = err.Error()
			return nil
		}
		c.input.set(text)
		return c.send()
	}
	return nil
}

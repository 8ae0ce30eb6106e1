package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas"
)

// nextKind is what can come after an ending.
type nextKind int

const (
	goOn nextKind = iota
	playAgain
	otherPersona
)

type nextStep struct {
	kind    nextKind
	machine string
	words   string
}

// ending is the card that a finished machine shows in the input's place.
type ending struct {
	*env
	cast     *cast
	scene    *scene
	unlocked []string
	steps    []nextStep
	cursor   int
}

func newEnding(e *env, c *cast, sc *scene, places []place, unlocked []string) *ending {
	card := &ending{env: e, cast: c, scene: sc, unlocked: unlocked}
	card.update(places)
	return card
}

// update makes the choices: open machines first, what was unlocked just now
// before the others.
func (e *ending) update(places []place) {
	e.steps = e.steps[:0]
	for _, id := range e.unlocked {
		e.offer(id, e.cast.machine(id).title)
	}
	for _, at := range places {
		if at.status == placeOpen || at.status == placeRunning {
			e.offer(at.id, at.title)
		}
	}
	e.steps = append(e.steps,
		nextStep{kind: playAgain, words: "Play " + e.scene.machine.title + " again"},
		nextStep{kind: otherPersona, words: "Talk to somebody else"})
	e.cursor = min(e.cursor, len(e.steps)-1)
}

func (e *ending) offer(machine, title string) {
	known := slices.ContainsFunc(e.steps, func(s nextStep) bool { return s.machine == machine })
	if !known && machine != e.scene.machine.id {
		e.steps = append(e.steps, nextStep{goOn, machine, "Go on to " + title})
	}
}

// takes tells whether a key is the card's.
func (e *ending) takes(msg tea.KeyMsg) bool {
	return key.Matches(msg, e.keys.Send, e.keys.Up, e.keys.Down)
}

func (e *ending) move(msg tea.KeyMsg) {
	by := 1
	if key.Matches(msg, e.keys.Up) {
		by = -1
	}
	e.cursor = max(min(e.cursor+by, len(e.steps)-1), 0)
}

func (e *ending) chosen() nextStep { return e.steps[e.cursor] }

func (e *ending) look() lipgloss.Style {
	if personas.Outcome(e.scene.at.outcome) == personas.Accept {
		return e.st.good
	}
	return e.st.bad
}

// view is the card in at most height lines.
func (e *ending) view(width, height int) []string {
	inner := width - 6
	steps, first := e.steps, 0
	if room := max(height-2, 1); len(steps) > room {
		first = max(min(e.cursor-room/2, len(steps)-room), 0)
		steps = steps[first : first+room]
	}
	lines := []string{e.top(width)}
	for i, step := range steps {
		text, look := "  "+cut(step.words, inner-2), e.st.text
		if first+i == e.cursor {
			text, look = "› "+cut(step.words, inner-2), e.st.chosen
		}
		lines = append(lines, " "+e.st.rule.Render("│ ")+look.Render(pad(text, inner))+e.st.rule.Render(" │"))
	}
	return append(lines, e.bottom(width, len(steps) < len(e.steps)))
}

// top says what ended, how, and with what score where there is room for it.
func (e *ending) top(width int) string {
	m, edge := e.scene.machine, e.st.rule.Render
	title := " " + cut(m.title+": "+outcomeWords(e.scene.at.outcome), width-8) + " "
	score := ""
	if words := " " + m.scoreWords(e.scene.at.score) + " "; m.scoring && ansi.StringWidth(title+words)+8 < width {
		score = words
	}
	line := strings.Repeat("─", max(width-6-ansi.StringWidth(title+score), 0))
	return " " + edge("╭─") + e.look().Render(title) + edge(line+score+"─╮")
}

// bottom counts the choices when not all are shown.
func (e *ending) bottom(width int, more bool) string {
	label := ""
	if more {
		label = fmt.Sprintf(" %d of %d ", e.cursor+1, len(e.steps))
	}
	return " " + e.st.rule.Render("╰"+strings.Repeat("─", max(width-5-len(label), 0))+label+"─╯")
}

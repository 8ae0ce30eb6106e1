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

// endingCard is the card that a finished machine shows in the input's place.
type endingCard struct {
	*env
	persona  *persona
	session  *session
	unlocked []string
	steps    []nextStep
	cursor   int
}

func newEndingCard(e *env, c *persona, sc *session, places []listedMachine, unlocked []string) *endingCard {
	card := &endingCard{env: e, persona: c, session: sc, unlocked: unlocked}
	card.updateSteps(places)
	return card
}

// updateSteps makes the choices: open machines first, what was unlocked just now
// before the others.
func (e *endingCard) updateSteps(places []listedMachine) {
	e.steps = e.steps[:0]
	for _, id := range e.unlocked {
		e.addStep(id, e.persona.findMachine(id).title)
	}
	for _, at := range places {
		if at.status == machineOpen || at.status == machineBegun {
			e.addStep(at.id, at.title)
		}
	}
	e.steps = append(e.steps,
		nextStep{kind: playAgain, words: "Play " + e.session.machine.title + " again"},
		nextStep{kind: otherPersona, words: "Talk to somebody else"})
	e.cursor = min(e.cursor, len(e.steps)-1)
}

func (e *endingCard) addStep(machine, title string) {
	known := slices.ContainsFunc(e.steps, func(s nextStep) bool { return s.machine == machine })
	if !known && machine != e.session.machine.id {
		e.steps = append(e.steps, nextStep{goOn, machine, "Go on to " + title})
	}
}

// takesKey tells whether a key is the card's.
func (e *endingCard) takesKey(msg tea.KeyMsg) bool {
	return key.Matches(msg, e.keys.Send, e.keys.Up, e.keys.Down)
}

func (e *endingCard) moveCursor(msg tea.KeyMsg) {
	by := 1
	if key.Matches(msg, e.keys.Up) {
		by = -1
	}
	e.cursor = max(min(e.cursor+by, len(e.steps)-1), 0)
}

func (e *endingCard) chosenStep() nextStep { return e.steps[e.cursor] }

func (e *endingCard) titleStyle() lipgloss.Style {
	if personas.Outcome(e.session.standing.outcome) == personas.Accept {
		return e.st.good
	}
	return e.st.bad
}

// cardLines is the card in at most height lines.
func (e *endingCard) cardLines(width, height int) []string {
	inner := width - 6
	steps, first := e.steps, 0
	if room := max(height-2, 1); len(steps) > room {
		first = max(min(e.cursor-room/2, len(steps)-room), 0)
		steps = steps[first : first+room]
	}
	lines := []string{e.topLine(width)}
	for i, step := range steps {
		text, look := "  "+cutToWidth(step.words, inner-2), e.st.text
		if first+i == e.cursor {
			text, look = "› "+cutToWidth(step.words, inner-2), e.st.chosen
		}
		lines = append(lines, " "+e.st.rule.Render("│ ")+look.Render(padToWidth(text, inner))+e.st.rule.Render(" │"))
	}
	return append(lines, e.bottomLine(width, len(steps) < len(e.steps)))
}

// topLine says what ended, how, and with what score where there is room for it.
func (e *endingCard) topLine(width int) string {
	m, edge := e.session.machine, e.st.rule.Render
	title := " " + cutToWidth(m.title+": "+outcomeWords(e.session.standing.outcome), width-8) + " "
	score := ""
	if words := " " + m.scoreWords(e.session.standing.score) + " "; m.scoring && ansi.StringWidth(title+words)+8 < width {
		score = words
	}
	line := strings.Repeat("─", max(width-6-ansi.StringWidth(title+score), 0))
	return " " + edge("╭─") + e.titleStyle().Render(title) + edge(line+score+"─╮")
}

// bottomLine counts the choices when not all are shown.
func (e *endingCard) bottomLine(width int, more bool) string {
	label := ""
	if more {
		label = fmt.Sprintf(" %d of %d ", e.cursor+1, len(e.steps))
	}
	return " " + e.st.rule.Render("╰"+strings.Repeat("─", max(width-5-len(label), 0))+label+"─╯")
}

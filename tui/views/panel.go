package views

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// Panel shows the player's state.
type Panel struct {
	*conversation.Current
	St *Styles
	// Beside places the panel beside the conversation. The panel then omits the ending.
	Beside bool
}

// LeastWindow is the minimum width in cells of a window with the panel beside the conversation.
const LeastWindow = 100

const (
	minWidthBeside = 28
	maxWidthBeside = 44
)

const (
	maxPanelWidth  = 72
	maxPanelHeight = 1000
)

// NewPanelPager returns the panel as a pager over the whole window.
func NewPanelPager(keys KeyMap, panel *Panel) *Pager {
	return &Pager{
		St: panel.St, Keys: keys, Title: "Where you stand", About: panel.User.Persona.CharacterName(),
		Foot: FootMore("Esc goes back"), Close: []key.Binding{keys.Standing},
		Lines: func(width int) []string {
			return terminal.IndentLines(panel.sections(min(width-2, maxPanelWidth), maxPanelHeight), 1)
		},
	}
}

// WidthBeside returns the width of the panel in a window, or 0 in a narrow window. The width grows
// by 16 cells for each 100 cells of the window.
func WidthBeside(window int) int {
	if window < LeastWindow {
		return 0
	}
	return min(minWidthBeside+(window-LeastWindow)*(maxWidthBeside-minWidthBeside)/100, maxWidthBeside)
}

// PanelLines returns the panel as exactly height lines with a vertical rule.
func (p *Panel) PanelLines(width, height int) []string {
	edge := p.St.Rule.Render("│") + " "
	lines := terminal.FitLines(p.sections(width-3, height), width-3, height)
	for i := range lines {
		lines[i] = edge + lines[i]
	}
	return lines
}

// sections returns the sections by importance. In the author's view, the states fill the
// remaining space.
func (p *Panel) sections(width, height int) []string {
	if !p.Author { // Players see only what they have reached.
		rest := [][]string{
			p.playerScore(width), p.playerPlaces(width), p.partLines(width),
			p.carriedLines(width), p.tokenLines(width),
		}
		return p.joinSections(p.playerGoal(width), rest, height)
	}
	var goal []string
	if p.Session.Machine.Goal != "" {
		goal = p.playerGoal(width)
	}
	rest := [][]string{
		append(p.playerScore(width), p.redirectLines()...), goal, p.unlockLines(width), p.partLines(width),
		p.carriedLines(width), p.tokenLines(width),
	}
	used := 0
	for _, part := range rest {
		if len(part) > 0 {
			used += len(part) + 1
		}
	}
	states := p.stateLines(width, max(height-used, min(height, 7)))
	return p.joinSections(states, rest, height)
}

func (p *Panel) joinSections(lines []string, rest [][]string, height int) []string {
	for _, part := range rest {
		room := height - len(lines) - 1
		if len(part) == 0 || len(part) > room && room < 3 {
			continue
		}
		if len(part) > room {
			part = append(part[:room-1:room-1], p.St.Faint.Render("…"))
		}
		lines = append(append(lines, ""), part...)
	}
	return lines
}

func (p *Panel) partLines(width int) []string {
	title := "Machines"
	if !p.Author {
		title = "Parts"
	}
	if len(p.Machines) == 0 || len(p.Machines) == 1 && !p.Author {
		return nil
	}
	count := fmt.Sprintf("%d of %d ended", conversation.CountPlayed(p.Machines), len(p.Machines))
	lines := []string{terminal.PlaceApart(p.St.Title.Render(title), p.St.Faint.Render(count), width-1)}
	for _, listed := range p.Machines {
		lines = append(lines, p.partLine(listed, width))
		if !p.Author || listed.Hint == "" || !p.showsHint(listed) {
			continue
		}
		for _, line := range terminal.WrapText(listed.Hint, width-3) {
			lines = append(lines, p.St.Faint.Render("  "+line))
		}
	}
	return lines
}

func (p *Panel) partLine(listed conversation.ListedMachine, width int) string {
	title, words, style := listed.ShownTitle(p.Author), listed.StatusWords(), p.St.Text
	if ansi.StringWidth(title)+len(words) > width-5 {
		words, _, _ = strings.Cut(words, ", ")
	}
	switch {
	case listed.ID == p.Session.Machine.ID:
		style = p.St.Chosen
		if listed.Status == conversation.MachineBegun {
			words = "here"
		}
	case listed.Status == conversation.MachineLocked:
		style = p.St.Faint
	}
	title = style.Render(listed.StatusMark() + " " + terminal.CutToWidth(title, width-5-len(words)))
	return terminal.PlaceApart(title, p.St.Faint.Render(words), width-1)
}

func (p *Panel) showsHint(listed conversation.ListedMachine) bool {
	return slices.ContainsFunc(p.User.Persona.Links, func(l personas.Link) bool {
		return l.Target == listed.Key && !p.Session.LeadsOn(&l)
	})
}

const maxCarried = 2

func (p *Panel) carriedLines(width int) []string {
	if len(p.Carried) == 0 {
		return nil
	}
	lines := []string{p.St.Title.Render("Carried over")}
	for _, v := range p.Carried {
		for _, line := range WrapShort(p.St.Faint, v, width+1, maxCarried) {
			lines = append(lines, line[1:])
		}
	}
	return lines
}

func (p *Panel) tokenLines(width int) []string {
	if !p.Spent.HasTokens() {
		return nil
	}
	row := func(label string, t wire.Tokens) string {
		words := fmt.Sprintf("%s read, %s written", terminal.GroupThousands(t.In), terminal.GroupThousands(t.Out))
		return p.St.Faint.Render(terminal.CutToWidth(label+" "+words, width-1))
	}
	return []string{p.St.Title.Render("Tokens"), row("now", p.Spent.Last), row("all", p.Spent.Total)}
}

func (p *Panel) scoreBar(score, threshold, cells int) string {
	full := cells
	if threshold > 0 {
		full = int(max(min(int64(score)*int64(cells)/int64(threshold), int64(cells)), 0))
	}
	style := p.St.Chosen
	if score >= threshold {
		style = p.St.Good
	}
	return style.Render(strings.Repeat("━", full)) + p.St.Rule.Render(strings.Repeat("─", cells-full))
}

func (p *Panel) redirectLines() []string {
	standing := p.Session.Standing
	limit := p.Session.Machine.FindState(standing.State).MaxRedirects
	switch {
	case limit < 0 || standing.IsFinished():
		return nil
	case standing.Redirects < 0:
		return []string{p.St.Faint.Render(fmt.Sprintf("At most %s here", conversation.CountWords(limit, "redirect")))}
	case standing.Redirects >= limit:
		return []string{p.St.Bad.Render("No redirects left") + p.St.Faint.Render(fmt.Sprintf(" of %d", limit))}
	}
	used := fmt.Sprintf("%d of %s used", standing.Redirects, conversation.CountWords(limit, "redirect"))
	return []string{p.St.Faint.Render(used)}
}

func (p *Panel) unlockLines(width int) []string {
	hints := p.Session.ListUnlockHints(p.User.Persona, p.Machines)
	if len(hints) == 0 {
		return nil
	}
	lines := []string{p.St.Title.Render("Opens next")}
	for _, hint := range hints {
		lines = append(lines, terminal.CutToWidth(hint.Title, width-1),
			p.St.Faint.Render("  "+terminal.CutToWidth(hint.Words, width-3)))
	}
	return lines
}

const maxGoal = 4

func (p *Panel) playerGoal(width int) []string {
	m := p.Session.Machine
	if m.Goal == "" {
		return []string{p.St.Title.Render(terminal.CutToWidth(m.Title, width-1))}
	}
	lines := []string{p.St.Title.Render("Your aim")}
	for _, line := range WrapShort(p.St.Text, m.Goal, width+1, maxGoal) {
		lines = append(lines, line[1:])
	}
	return lines
}

func (p *Panel) playerScore(width int) []string {
	machine, standing := p.Session.Machine, p.Session.Standing
	var lines []string
	if standing.IsFinished() && !p.Beside {
		ending := conversation.EndingOf(standing.Outcome)
		lines = append(lines, p.St.EndingStyle(ending.Kind).Render(ending.Title))
	}
	if machine.Scoring {
		for _, line := range terminal.WrapText(conversation.Capitalize(machine.ScoreWords(standing.Score)), width-1) {
			lines = append(lines, p.St.Title.Render(line))
		}
		lines = append(lines, p.scoreBar(standing.Score, machine.Threshold, width-1))
	}
	if tries := machine.CountTries(standing); tries > 0 {
		lines = append(lines, p.St.TriesStyle(tries).Render(conversation.Capitalize(playwords.Tries(tries))))
	}
	if rule := machine.FreeTalk(standing); rule != "" {
		for _, line := range terminal.WrapText(rule, width-1) {
			lines = append(lines, p.St.Faint.Render(line))
		}
	}
	return lines
}

func (p *Panel) playerPlaces(width int) []string {
	been, _ := p.visitedStates()
	states := p.Session.Machine.ShownStates(p.Session.Standing.State)
	lines := []string{p.St.Title.Render("Where you have been")}
	for i := range states {
		if s := &states[i]; been[s.Key] && s.Key != p.Session.Standing.State {
			lines = append(lines, WrapMarked(p.St.Faint, "✓ ", s.Title, width-1, maxMarked)...)
		}
	}
	title := p.Session.Machine.FindState(p.Session.Standing.State).Title
	return append(lines, WrapMarked(p.St.Chosen, "● ", title, width-1, maxMarked)...)
}

const maxMarked = 3

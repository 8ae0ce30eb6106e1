package views

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// Panel shows the player's state beside the conversation. It caches its lines until
// their content changes.
type Panel struct {
	*conversation.Current
	St *Styles
	// Beside means that the conversation is visible, which already shows the ending.
	Beside bool
	key    sideKey
	Lines  []string
}

// LeastWindow is the minimum width of a window with the panel beside the conversation, in cells.
const LeastWindow = 100

// The width of the panel in a window of LeastWindow, and its maximum width, in cells.
const (
	minBeside = 28
	maxBeside = 44
)

// WidthBeside returns the width of the panel in a window, or 0 if it does not fit. The panel grows
// by 16 cells if the window grows by 100.
func WidthBeside(window int) int {
	if window < LeastWindow {
		return 0
	}
	return min(minBeside+(window-LeastWindow)*(maxBeside-minBeside)/100, maxBeside)
}

// sideKey contains everything that changes the lines of the panel.
type sideKey struct {
	width, height int
	session       string
	standing      conversation.Standing
	messages      int
	machines      *conversation.ListedMachine // identifies the list of machines by the address of its first element
	spent         conversation.Spending
	carried       int
	author        bool
}

func (p *Panel) sideKey(width, height int) sideKey {
	k := sideKey{width: width, height: height, session: p.Session.ID, standing: p.Session.Standing,
		messages: len(p.Session.Messages), spent: p.Spent, carried: len(p.Carried), author: p.Author}
	if len(p.Machines) > 0 {
		k.machines = &p.Machines[0]
	}
	return k
}

// PanelLines returns the side panel, as many lines as the height, with an edge before each line.
func (p *Panel) PanelLines(width, height int) []string {
	key := p.sideKey(width, height)
	if key == p.key && p.Lines != nil {
		return p.Lines
	}
	edge := p.St.Rule.Render("│") + " "
	lines := terminal.FitLines(p.panelSections(width-3, height), width-3, height)
	for i := range lines {
		lines[i] = edge + lines[i]
	}
	p.key, p.Lines = key, lines
	return lines
}

// panelSections returns the sections of the panel, the most important first. In the author's view
// the states get the space that the other sections leave.
func (p *Panel) panelSections(width, height int) []string {
	if !p.Author { // This shows nothing that the player has not reached.
		rest := [][]string{p.playerScore(width), p.playerPlaces(width), p.playerParts(width), p.panelCarried(width), p.panelTokens(width)}
		return p.joinSections(p.playerGoal(width), rest, height)
	}
	var goal []string
	if p.Session.Machine.Goal != "" {
		goal = p.playerGoal(width)
	}
	rest := [][]string{p.panelScore(width), goal, p.panelOpens(width), p.panelMachines(width), p.panelCarried(width), p.panelTokens(width)}
	taken := 0
	for _, part := range rest {
		if len(part) > 0 {
			taken += len(part) + 1
		}
	}
	return p.joinSections(p.panelStates(width, max(height-taken, min(height, 7))), rest, height)
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

func (p *Panel) panelMachines(width int) []string {
	if len(p.Machines) == 0 {
		return nil
	}
	var rows []string
	for _, at := range p.Machines {
		rows = append(rows, p.panelMachine(at, width)...)
	}
	count := p.St.Faint.Render(fmt.Sprintf("%d of %d ended", conversation.CountPlayed(p.Machines), len(p.Machines)))
	return append([]string{terminal.PlaceApart(p.St.Title.Render("Machines"), count, width-1)}, rows...)
}

func (p *Panel) panelMachine(at conversation.ListedMachine, width int) []string {
	here := at.ID == p.Session.Machine.ID
	mark, look := at.StatusMark()+" ", p.St.Text
	if at.Status == conversation.MachineLocked {
		look = p.St.Faint
	}
	words := statusBeside(at, at.Title, width)
	if here {
		look = p.St.Chosen
		if words == "begun" {
			words = "here"
		}
	}
	lines := []string{terminal.PlaceApart(look.Render(mark+terminal.CutToWidth(at.Title, width-5-len(words))), p.St.Faint.Render(words), width-1)}
	if at.Status != conversation.MachineLocked || at.Hint == "" || p.isHinted(at) {
		return lines
	}
	for _, line := range terminal.WrapText(at.Hint, width-3) {
		lines = append(lines, p.St.Faint.Render("  "+line))
	}
	return lines
}

// maxCarried is the maximum number of lines of a carried variable.
const maxCarried = 2

func (p *Panel) panelCarried(width int) []string {
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

func (p *Panel) panelTokens(width int) []string {
	if !p.Spent.HasTokens() {
		return nil
	}
	row := func(what string, t wire.Tokens) string {
		words := fmt.Sprintf("%s read, %s written", terminal.GroupThousands(t.In), terminal.GroupThousands(t.Out))
		return p.St.Faint.Render(terminal.CutToWidth(what+" "+words, width-1))
	}
	return []string{p.St.Title.Render("Tokens"), row("now", p.Spent.Last), row("all", p.Spent.Total)}
}

// PartAt returns the index of the part that a line of the panel shows, or -1.
func (p *Panel) PartAt(line int) int {
	first := -1
	for i, text := range p.Lines {
		title := strings.TrimSpace(strings.TrimPrefix(ansi.Strip(text), edgeMark))
		if strings.HasPrefix(title, partsTitle) || strings.HasPrefix(title, machinesTitle) {
			first = i + 1
		}
	}
	if first < 0 || line < first || line >= len(p.Lines) {
		return -1
	}
	return p.countParts(first, line)
}

// countParts returns the index of the machine in a line of the panel, or -1. first is the first
// line of the list, in which indented lines continue the row above.
func (p *Panel) countParts(first, line int) int {
	at := -1
	for _, text := range p.Lines[first : line+1] {
		text = strings.TrimPrefix(ansi.Strip(text), edgeMark)
		switch {
		case strings.TrimSpace(text) == "", strings.HasPrefix(text, "…"):
			return -1
		case !strings.HasPrefix(text, " "):
			at++
		}
	}
	if at >= len(p.Machines) {
		return -1
	}
	return at
}

// The titles of the panel's lists of parts, and the edge before each line.
const (
	partsTitle    = "Parts"
	machinesTitle = "Machines"
	edgeMark      = "│ "
)

package views

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

func (p *Panel) stateLines(width, height int) []string {
	machine := p.Session.Machine
	lines := []string{p.St.Title.Render(terminal.CutToWidth(machine.Title, width-1))}
	been, last := p.visitedStates()
	states := machine.ShownStates(p.Session.Standing.State)
	var graph []string
	row := 0
	for i := range states {
		s := &states[i]
		if s.Key != p.Session.Standing.State {
			graph = append(graph, p.stateLine(s, been[s.Key], s.Key == last, width))
			continue
		}
		row = len(graph)
		graph = append(graph, p.St.Chosen.Render("● "+terminal.CutToWidth(s.Title, width-3)))
		if !p.Session.Standing.IsFinished() {
			graph = append(graph, p.exitLines(machine.ListWaysOut(s.Key), width)...)
		}
	}
	return append(lines, cutAround(graph, row, max(height-1, 3), p.St.Faint.Render("⋮"))...)
}

func (p *Panel) stateLine(s *conversation.State, been, last bool, width int) string {
	mark, style := "○ ", p.St.Faint
	switch {
	case last:
		mark = "↓ "
	case s.Terminal:
		mark = "◎ "
	}
	if been {
		style = p.St.Text
	}
	return style.Render(mark + terminal.CutToWidth(s.Title, width-3))
}

func (p *Panel) exitLines(exits []conversation.WayOut, width int) []string {
	lines := make([]string, 0, len(exits))
	for i, e := range exits {
		branch := "├─ "
		if i == len(exits)-1 {
			branch = "╰─ "
		}
		where, label := e.Words, e.Label
		if e.To != nil {
			where = e.To.Title
		}
		if e.Delta != 0 {
			label = strings.TrimSpace(fmt.Sprintf("%s %+d", label, e.Delta))
		}
		text := terminal.PlaceApart(terminal.CutToWidth(where, width-6-len(label)), label, width-4)
		lines = append(lines, p.St.Rule.Render(branch)+p.St.Faint.Render(text))
	}
	return lines
}

const maxLookedBack = 400

func (p *Panel) visitedStates() (states map[string]bool, last string) {
	states = map[string]bool{}
	messages := p.Session.Messages
	for i := len(messages) - 1; i >= max(len(messages)-maxLookedBack, 0); i-- {
		key := messages[i].StateKeyAtTime
		if i == 0 {
			key = cmp.Or(key, p.Session.Machine.InitialState())
		}
		if messages[i].Role != wire.RoleAssistant || key == "" {
			continue
		}
		if last == "" && key != p.Session.Standing.State {
			last = key
		}
		states[key] = true
	}
	return states, last
}

func cutAround(lines []string, row, height int, mark string) []string {
	if len(lines) <= height {
		return lines
	}
	first := max(min(row-height/3, len(lines)-height), 0)
	shown := append([]string(nil), lines[first:first+height]...)
	if first > 0 && first != row {
		shown[0] = mark
	}
	if last := first + height - 1; last < len(lines)-1 && last != row {
		shown[height-1] = mark
	}
	return shown
}

package tui

import (
	"fmt"

	"github.com/parley-npc/parley/personas/wire"
)

// sidePanel shows where the player stands beside the conversation. Its lines are made
// anew only when something of what they show has changed.
type sidePanel struct {
	*current
	st    *styles
	key   sideKey
	lines []string
}

// sideKey is all that the panel's lines follow from.
type sideKey struct {
	width, height int
	session       string
	standing      standing
	messages      int
	machines      *listedMachine // the list's first; a new list has a new one
	spent         spending
	carried       int
}

func (p *sidePanel) sideKey(width, height int) sideKey {
	k := sideKey{width: width, height: height, session: p.session.id, standing: p.session.standing,
		messages: len(p.session.messages), spent: p.spent, carried: len(p.carried)}
	if len(p.machines) > 0 {
		k.machines = &p.machines[0]
	}
	return k
}

// panelLines is the side panel in height lines, an edge before each.
func (p *sidePanel) panelLines(width, height int) []string {
	key := p.sideKey(width, height)
	if key == p.key && p.lines != nil {
		return p.lines
	}
	edge := p.st.rule.Render("│") + " "
	lines := fitLines(p.panelSections(width-3, height), width-3, height)
	for i := range lines {
		lines[i] = edge + lines[i]
	}
	p.key, p.lines = key, lines
	return lines
}

// panelSections are the panel's parts, the most important first; what has no room
// goes from the end, and the states get what the others leave.
func (p *sidePanel) panelSections(width, height int) []string {
	rest := [][]string{p.panelScore(width), p.panelOpens(width), p.panelMachines(width), p.panelCarried(width), p.panelTokens(width)}
	taken := 0
	for _, part := range rest {
		if len(part) > 0 {
			taken += len(part) + 1
		}
	}
	lines := p.panelStates(width, max(height-taken, min(height, 7)))
	for _, part := range rest {
		if len(part) == 0 {
			continue
		}
		if room := height - len(lines) - 1; len(part) > room {
			part = shortenPart(part, room, p.st.faint.Render("…"))
		}
		if len(part) > 0 {
			lines = append(append(lines, ""), part...)
		}
	}
	return lines
}

// shortenPart is the beginning of a part that does not fit, if that says anything:
// its title alone does not.
func shortenPart(part []string, room int, more string) []string {
	if room < 3 {
		return nil
	}
	return append(part[:room-1:room-1], more)
}

// panelMachines is the progress over all machines.
func (p *sidePanel) panelMachines(width int) []string {
	if len(p.machines) == 0 {
		return nil
	}
	ended := 0
	var rows []string
	for _, at := range p.machines {
		if at.status == machineEnded {
			ended++
		}
		rows = append(rows, p.panelMachine(at, width)...)
	}
	count := p.st.faint.Render(fmt.Sprintf("%d of %d ended", ended, len(p.machines)))
	return append([]string{placeApart(p.st.title.Render("Machines"), count, width-1)}, rows...)
}

func (p *sidePanel) panelMachine(at listedMachine, width int) []string {
	here := at.id == p.session.machine.id
	mark, look := "○ ", p.st.text
	switch at.status {
	case machineLocked:
		mark, look = "× ", p.st.faint
	case machineBegun:
		mark = "◐ "
	case machineEnded:
		mark = "✓ "
	}
	words := at.statusWords()
	if here {
		look = p.st.chosen
		if words == "begun" {
			words = "here"
		}
	}
	lines := []string{placeApart(look.Render(mark+cutToWidth(at.title, width-5-len(words))), p.st.faint.Render(words), width-1)}
	if at.status != machineLocked || at.hint == "" || p.isHinted(at) {
		return lines
	}
	for _, line := range wrapText(at.hint, width-3) {
		lines = append(lines, p.st.faint.Render("  "+line))
	}
	return lines
}

// panelCarried are the variables that other machines have left.
func (p *sidePanel) panelCarried(width int) []string {
	if len(p.carried) == 0 {
		return nil
	}
	lines := []string{p.st.title.Render("Carried over")}
	for _, v := range p.carried {
		lines = append(lines, p.st.faint.Render(cutToWidth(v, width-1)))
	}
	return lines
}

// panelTokens are the spending's lines.
func (p *sidePanel) panelTokens(width int) []string {
	if !p.spent.hasTokens() {
		return nil
	}
	row := func(what string, t wire.Tokens) string {
		words := fmt.Sprintf("%s read, %s written", groupThousands(t.In), groupThousands(t.Out))
		return p.st.faint.Render(cutToWidth(what+" "+words, width-1))
	}
	return []string{p.st.title.Render("Tokens"), row("now", p.spent.last), row("all", p.spent.total)}
}

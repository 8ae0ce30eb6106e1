package tui

import (
	"fmt"

	"github.com/parley-npc/parley/personas/wire"
)

// side is what the side panel keeps from frame to frame: its lines are made anew
// only when something of what they show has changed.
type side struct {
	key     sideKey
	lines   []string
	carried []string // variables of other machines, "name: value"
}

// sideKey is all that the panel's lines follow from.
type sideKey struct {
	width, height int
	session       string
	at            standing
	messages      int
	progress      *place // the list's first; a new list has a new one
	spent         spending
	carried       int
}

func (c *chat) sideKey(width, height int) sideKey {
	k := sideKey{width: width, height: height, session: c.scene.session, at: c.scene.at,
		messages: len(c.scene.messages), spent: c.spent, carried: len(c.side.carried)}
	if len(c.progress) > 0 {
		k.progress = &c.progress[0]
	}
	return k
}

// panel is the side panel in height lines, an edge before each.
func (c *chat) panel(width, height int) []string {
	key := c.sideKey(width, height)
	if key == c.side.key && c.side.lines != nil {
		return c.side.lines
	}
	edge := c.st.rule.Render("│") + " "
	lines := fit(c.panelSections(width-3, height), width-3, height)
	for i := range lines {
		lines[i] = edge + lines[i]
	}
	c.side.key, c.side.lines = key, lines
	return lines
}

// panelSections are the panel's parts, the most important first; what has no room
// goes from the end, and the states get what the others leave.
func (c *chat) panelSections(width, height int) []string {
	rest := [][]string{c.panelScore(width), c.panelOpens(width), c.panelMachines(width), c.panelCarried(width), c.panelTokens(width)}
	taken := 0
	for _, part := range rest {
		if len(part) > 0 {
			taken += len(part) + 1
		}
	}
	lines := c.panelStates(width, max(height-taken, min(height, 7)))
	for _, part := range rest {
		if len(part) == 0 {
			continue
		}
		if room := height - len(lines) - 1; len(part) > room {
			part = shortened(part, room, c.st.faint.Render("…"))
		}
		if len(part) > 0 {
			lines = append(append(lines, ""), part...)
		}
	}
	return lines
}

// shortened is the beginning of a part that does not fit, if that says anything:
// its title alone does not.
func shortened(part []string, room int, more string) []string {
	if room < 3 {
		return nil
	}
	return append(part[:room-1:room-1], more)
}

// panelMachines is the progress over all machines.
func (c *chat) panelMachines(width int) []string {
	if len(c.progress) == 0 {
		return nil
	}
	ended := 0
	var rows []string
	for _, at := range c.progress {
		if at.status == placeEnded {
			ended++
		}
		rows = append(rows, c.panelMachine(at, width)...)
	}
	count := c.st.faint.Render(fmt.Sprintf("%d of %d ended", ended, len(c.progress)))
	return append([]string{apart(c.st.title.Render("Machines"), count, width-1)}, rows...)
}

func (c *chat) panelMachine(at place, width int) []string {
	here := at.id == c.scene.machine.id
	mark, look := "○ ", c.st.text
	switch at.status {
	case placeLocked:
		mark, look = "× ", c.st.faint
	case placeRunning:
		mark = "◐ "
	case placeEnded:
		mark = "✓ "
	}
	words := at.words()
	if here {
		look = c.st.chosen
		if words == "begun" {
			words = "here"
		}
	}
	lines := []string{apart(look.Render(mark+cut(at.title, width-5-len(words))), c.st.faint.Render(words), width-1)}
	if at.status != placeLocked || at.hint == "" || c.hinted(at) {
		return lines
	}
	for _, line := range wrap(at.hint, width-3) {
		lines = append(lines, c.st.faint.Render("  "+line))
	}
	return lines
}

// panelCarried are the variables that other machines have left.
func (c *chat) panelCarried(width int) []string {
	if len(c.side.carried) == 0 {
		return nil
	}
	lines := []string{c.st.title.Render("Carried over")}
	for _, v := range c.side.carried {
		lines = append(lines, c.st.faint.Render(cut(v, width-1)))
	}
	return lines
}

// panelTokens are the spending's lines.
func (c *chat) panelTokens(width int) []string {
	if !c.spent.any() {
		return nil
	}
	row := func(what string, t wire.Tokens) string {
		words := fmt.Sprintf("%s read, %s written", grouped(t.In), grouped(t.Out))
		return c.st.faint.Render(cut(what+" "+words, width-1))
	}
	return []string{c.st.title.Render("Tokens"), row("now", c.spent.last), row("all", c.spent.total)}
}

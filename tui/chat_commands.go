package tui

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

func (c *chat) sendInput() tea.Cmd {
	line := c.input.Text()
	c.writtenAt = time.Time{}
	cmd, arg, text, err := conversation.ParseLine(line)
	switch {
	case strings.TrimSpace(line) == "" && c.state == stateCountdown:
		return c.retryNow()
	case strings.TrimSpace(line) == "":
		return nil
	case err != nil:
		c.trouble = err.Error()
	case cmd != nil && cmd.Alone && c.state.isOut():
		c.trouble = c.refusal()
	case cmd != nil:
		c.input.SetText("")
		return c.runCommand(cmd, arg)
	case terminal.CountCharacters(text) > wire.MaxMessage:
		c.trouble = tooLongWords(text)
	case c.editing && c.state == stateIdle && !c.isLastMessage(line):
		return c.takeBackAndSend(1, func(string) conversation.Turn { return c.env.requester.NewTurn(text) })
	default:
		c.editing = false
		return c.sendText(text)
	}
	return nil
}

func tooLongWords(text string) string {
	count := terminal.CountCharacters(text)
	return fmt.Sprintf("the message has %d characters: at most %d are allowed", count, wire.MaxMessage)
}

func (c *chat) runCommand(cmd *conversation.Command, arg string) tea.Cmd {
	if cmd.Alone && c.state.isOut() {
		c.trouble = c.refusal()
		return nil
	}
	c.resetAsked = c.resetAsked && cmd.Name == conversation.CommandReset
	c.trouble = ""
	c.checkRetryText()
	return screenCommands()[cmd.Name](c, arg)
}

func withoutArg(run func(*chat) tea.Cmd) func(*chat, string) tea.Cmd {
	return func(c *chat, _ string) tea.Cmd { return run(c) }
}

func screenCommands() map[string]func(c *chat, arg string) tea.Cmd {
	return map[string]func(c *chat, arg string) tea.Cmd{
		"help":      (*chat).showHelp,
		"undo":      (*chat).undo,
		"redo":      withoutArg((*chat).redo),
		"retry":     (*chat).retry,
		"branches":  (*chat).showBranches,
		"compare":   (*chat).compareBranches,
		"fork":      func(c *chat, arg string) tea.Cmd { return c.fork(0, arg) },
		"parts":     (*chat).goToMachine,
		"personas":  withoutArg((*chat).leavePersona),
		"name":      (*chat).rename,
		"sessions":  func(c *chat, arg string) tea.Cmd { return c.readSessions(arg, "") },
		"new":       withoutArg((*chat).beginSession),
		"progress":  func(c *chat, _ string) tea.Cmd { return c.readMachines(c.showProgress) },
		"state":     withoutArg((*chat).showState),
		"history":   withoutArg((*chat).showHistory),
		"search":    (*chat).searchMessages,
		"copy":      (*chat).copyMessage,
		"editor":    withoutArg((*chat).editMessage),
		"export":    (*chat).exportRecord,
		"theme":     (*chat).chooseTheme,
		"panel":     (*chat).showPanel,
		"mouse":     (*chat).toggleMouse,
		"reset":     withoutArg((*chat).resetMachine),
		"quit":      func(*chat, string) tea.Cmd { return func() tea.Msg { return leaveAskedMsg{} } },
		"save-play": (*chat).savePlay,
		"why":       func(c *chat, _ string) tea.Cmd { return c.askWhy(true) },
		"direct":    (*chat).directModel,
		"update":    withoutArg((*chat).updateSession),
	}
}

func (c *chat) showState() tea.Cmd {
	c.overlay = views.NewPanelPager(c.env.keys, &views.Panel{Current: c.current, St: c.env.st})
	return nil
}

func (c *chat) showProgress(list []conversation.ListedMachine, progress wire.Progress) {
	c.tellPlayer(strings.Join(c.current.User.ProgressWords(progress, list, c.current.Author), "\n"))
}

func (c *chat) runShortcut(msg tea.KeyMsg) (tea.Cmd, bool) {
	if c.log.Chosen > 0 {
		if cmd, handled := c.handleMessageKey(msg, c.log.Chosen-1); handled {
			return cmd, true
		}
	}
	for _, command := range conversation.Commands() {
		if bound, ok := c.env.keys.FindBinding(command.Action); ok && key.Matches(msg, bound) {
			return c.runCommand(&command, ""), true
		}
	}
	switch {
	case key.Matches(msg, c.env.keys.Palette):
		c.openPalette()
	case key.Matches(msg, c.env.keys.Copy):
		return c.copyChosen(), true
	case key.Matches(msg, c.env.keys.Suspend):
		c.trouble = "this chat cannot be suspended: " +
			c.env.keys.Leave.Help().Key + " leaves, and your progress is saved"
	default:
		return nil, false
	}
	return nil, true
}

func (c *chat) showHelp(arg string) tea.Cmd {
	authors := c.current.Author || strings.EqualFold(arg, conversation.HelpForAuthors)
	return func() tea.Msg { return helpAskedMsg{authors} }
}

func (c *chat) showHistory() tea.Cmd {
	return c.readStory(func() tea.Cmd {
		c.log.ScrollToTop()
		return nil
	})
}

func (c *chat) resetMachine() tea.Cmd {
	if !c.resetAsked {
		c.resetAsked = true
		c.tellPlayer(conversation.ResetWarning(c.current.Session.Machine))
		return nil
	}
	user, machine := c.current.User, c.current.Session.Machine
	return c.ask("clearing "+machine.Title, "not reset", func(ctx context.Context) (func() tea.Cmd, error) {
		session, err := c.env.requester.ResetMachine(ctx, user, machine)
		return func() tea.Cmd { return c.switchSession(session, true) }, err
	})
}

func (c *chat) tellPlayer(text string) {
	c.log.AddNote(text, views.ToneNews)
	c.log.ScrollToEnd()
}

// isAtEnding reports whether the ending card gets the keys. A typed command has precedence.
func (c *chat) isAtEnding() bool {
	return c.state == stateEnded && !strings.HasPrefix(c.input.Text(), "/")
}

// writingFlow is the pause after which a key at an ending chooses a next step.
const writingFlow = 1500 * time.Millisecond

func (c *chat) handleEndingKey(msg tea.KeyMsg) (cmd tea.Cmd, handled bool) {
	writing := c.hasInput() && c.env.opts.Now().Sub(c.writtenAt) < writingFlow
	enter := key.Matches(msg, c.env.keys.Send)
	switch {
	case writing && enter:
		c.news = c.endingNews()
		return nil, true
	case !writing && (enter || c.ending.PickNumber(msg)):
		return c.takeStep(c.ending.ChosenStep()), true
	}
	return nil, c.ending.MoveCursor(msg)
}

func (c *chat) endingNews() string { return "this part is over: " + c.ending.KeyWords() }

func (c *chat) takeStep(step conversation.NextStep) tea.Cmd {
	switch step.Kind {
	case conversation.GoOn:
		return c.openMachine(step.Machine, c.env.requester.EnterMachine)
	case conversation.PlayAgain:
		return c.openMachine(step.Machine, c.env.requester.BeginMachine)
	case conversation.GoBack:
		return c.takeBack(step.Count)
	case conversation.BeginStory:
		saved := c.current.User.Saved
		return func() tea.Msg { return sessionChosenMsg{saved, true} }
	}
	return c.leavePersona()
}

func (c *chat) rename(name string) tea.Cmd {
	switch {
	case name == "":
		c.tellPlayer(conversation.NameWords(c.current.User.Saved.PlayerName))
		return nil
	case terminal.CountCharacters(name) > wire.MaxPlayerName:
		c.trouble = fmt.Sprintf("a name can have at most %d characters", wire.MaxPlayerName)
		return nil
	}
	c.env.requester.SetPlayer(c.current.User, name, "")
	c.tellPlayer(conversation.NameNews(name))
	saved := c.current.User.Saved
	return c.saveAsync("your name could not be saved", func() error { return c.env.requester.RenamePlayer(saved) })
}

func (c *chat) leavePersona() tea.Cmd {
	c.advance(eventLeave)
	return func() tea.Msg { return pickerAskedMsg{} }
}

func (c *chat) showPanel(arg string) tea.Cmd {
	hidden, keep := c.env.opts.PanelHidden, c.env.opts.KeepPanel
	var err error
	switch strings.ToLower(arg) {
	case "":
		c.env.opts.PanelHidden = hidden != !c.narrow
	case "on", "off":
		c.env.opts.PanelHidden = strings.EqualFold(arg, "off")
		if keep != nil {
			err = keep(!c.env.opts.PanelHidden)
		}
	default:
		c.trouble = "the panel can be on or off, not " + terminal.Clean(arg) + ": /panel off hides it"
		return nil
	}
	c.news = c.panelWords()
	if err != nil {
		c.news = ""
		c.trouble = "this change applies to this chat only, because it could not be saved: " +
			terminal.Clean(err.Error())
	}
	return nil
}

func (c *chat) panelWords() string {
	switch {
	case c.env.opts.PanelHidden:
		return "the side panel is hidden: " + cmp.Or(c.env.keys.ShownKey("panel"), "/panel") + " shows it again"
	case c.narrow:
		state := cmp.Or(c.env.keys.ShownKey("state"), "/state")
		return fmt.Sprintf("the side panel needs %d columns: %s shows it in the whole window", views.LeastWindow, state)
	}
	return ""
}

func (c *chat) openPalette() {
	commands := conversation.Commands()
	choices := make([]views.Choice, len(commands))
	for i, k := range commands {
		title := k.Help
		if k.ForAuthors {
			title = "For authors: " + k.Help
		}
		choices[i] = views.Choice{Title: title, Tag: "/" + k.Name, More: k.Name}
		if shown := c.env.keys.ShownKey(k.Action); shown != "" {
			choices[i].Tag = shown
		}
	}
	list := views.NewList(c.env.st, c.env.keys, choices, "what do you want to do?")
	list.Dense = true
	list.BeginSearch()
	list.NarrowList()
	c.overlay = &views.ListOverlay{
		Menu: list, Close: c.env.keys.Palette, Title: "Commands",
		Foot: "Enter runs the command, letters search, Esc goes back",
		Choose: func(i int) (tea.Cmd, bool) {
			c.overlay = nil // The command may open another overlay.
			return c.runCommand(&commands[i], ""), true
		},
	}
}

type completions struct {
	line   string
	rows   []conversation.Command
	cursor int
	chosen bool // the cursor was moved
}

const maxCompletions = 7

func (p *completions) followLine(line string) {
	if line == p.line {
		return
	}
	*p = completions{line: line}
	for _, k := range conversation.Commands() {
		if line != "" && strings.HasPrefix("/"+k.Name, strings.ToLower(line)) {
			p.rows = append(p.rows, k)
		}
	}
}

func (p *completions) isOpen() bool { return len(p.rows) > 0 }

// TakesKey reports whether the list handles a key. Enter runs a complete command unless the cursor
// was moved.
func (p *completions) TakesKey(msg tea.KeyMsg, keys views.KeyMap) bool {
	switch {
	case !p.isOpen():
		return false
	case key.Matches(msg, keys.Send):
		return p.chosen || conversation.FindCommand(strings.TrimPrefix(p.line, "/")) == nil
	}
	return key.Matches(msg, keys.Up, keys.Down, keys.Complete, keys.Cancel)
}

func (c *chat) handleCompletionKey(msg tea.KeyMsg) tea.Cmd {
	p := c.completions
	switch {
	case key.Matches(msg, c.env.keys.Up):
		p.moveCursor(-1)
	case key.Matches(msg, c.env.keys.Down):
		p.moveCursor(1)
	case key.Matches(msg, c.env.keys.Cancel):
		p.rows = nil // closed until the line changes
	default:
		row := p.rows[p.cursor]
		line := "/" + row.Name
		if row.Args != "" {
			line += " "
		}
		c.input.SetText(line)
		c.checkRetryText()
		if row.Args == "" && key.Matches(msg, c.env.keys.Send) {
			return c.sendInput()
		}
	}
	return nil
}

func (p *completions) moveCursor(step int) {
	p.cursor = (p.cursor + step + len(p.rows)) % len(p.rows)
	p.chosen = true
}

func (p *completions) listLines(st *views.Styles, width, height int) []string {
	height = min(height, len(p.rows), maxCompletions)
	if height <= 0 {
		return nil
	}
	first := max(min(p.cursor-height/2, len(p.rows)-height), 0)
	column := 0
	for _, row := range p.rows {
		column = max(column, len("/"+row.Name))
	}
	lines := make([]string, height)
	for i := range lines {
		row, mark, style := p.rows[first+i], "   ", st.Text
		if first+i == p.cursor {
			mark, style = " › ", st.Chosen
		}
		about := strings.TrimSpace(row.Args + " " + row.Help)
		name := style.Render(mark + terminal.PadToWidth("/"+row.Name, column))
		lines[i] = terminal.CutToWidth(name+"  "+st.Faint.Render(about), width-1)
	}
	if height < len(p.rows) {
		count := st.Faint.Render(fmt.Sprintf(" %d of %d ", p.cursor+1, len(p.rows)))
		index := min(p.cursor-first, height-1)
		lines[index] = terminal.PlaceApart(terminal.CutToWidth(lines[index], width-ansi.StringWidth(count)-2), count, width)
	}
	return lines
}

func (c *chat) exportRecord(arg string) tea.Cmd {
	user := c.current.User
	return c.saveFile(func(ctx context.Context) ([]string, error) {
		return record.ExportRecord(ctx, c.env.requester, user, c.env.opts.Files, c.env.opts.Now(), arg)
	})
}

func (c *chat) savePlay(file string) tea.Cmd {
	user := c.current.User
	return c.saveFile(func(ctx context.Context) ([]string, error) {
		return record.SavePlay(ctx, c.env.requester, user, c.env.opts.Files, file)
	})
}

func (c *chat) saveFile(save func(context.Context) ([]string, error)) tea.Cmd {
	return c.runAsync(func(ctx context.Context) func() tea.Cmd {
		lines, err := save(ctx)
		return func() tea.Cmd {
			if err != nil {
				c.trouble = "not saved: " + c.env.requester.ExplainError(err)
				return nil
			}
			c.tellPlayer(terminal.CleanLines(strings.Join(lines, "\n")))
			return nil
		}
	})
}

package tui

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas"
)

// Command is one of the slash commands.
type Command struct {
	Name string // without the slash
	Args string // how its arguments are written, "" for none
	// PlainArgs is how they are written in line mode, where that is otherwise.
	PlainArgs string
	Help      string // one sentence
	// Screen says that only the full screen has it.
	Screen bool

	// alone commands change which session is the present one, or what stands in
	// it: they wait until no question is under way.
	alone bool
	// key is its key, and offers are its arguments as far as they are known; nil
	// for none.
	key    func(*keyMap) key.Binding
	offers func(*chat) []offer
	// do does it on the full screen.
	do func(c *chat, arg string) tea.Cmd
}

// Usage is the command as it is typed, "/machines [MACHINE]".
func (c Command) Usage() string { return strings.TrimSpace("/" + c.Name + " " + c.Args) }

// PlainUsage is the command as it is typed in line mode.
func (c Command) PlainUsage() string {
	c.Args = cmp.Or(c.PlainArgs, c.Args)
	return c.Usage()
}

// The names of the commands.
const (
	commandHelp     = "help"
	commandMachines = "machines"
	commandPersonas = "personas"
	commandSessions = "sessions"
	commandNew      = "new"
	commandProgress = "progress"
	commandState    = "state"
	commandHistory  = "history"
	commandSearch   = "search"
	commandCopy     = "copy"
	commandEdit     = "edit"
	commandExport   = "export"
	commandSavePlay = "save-play"
	commandTheme    = "theme"
	commandReset    = "reset"
	commandWhy      = "why"
	commandDirect   = "direct"
	commandQuit     = "quit"
)

// Commands is the table of slash commands, in the order in which help, the
// palette and the completion show them.
func Commands() []Command {
	return []Command{
		{Name: commandHelp, Help: "Show the keys and the commands.", do: (*chat).helpCommand,
			key: func(k *keyMap) key.Binding { return k.Help }},
		{Name: commandMachines, Args: "[MACHINE]", Help: "List the machines, or go to one by its number or key.", do: (*chat).machinesCommand,
			key: func(k *keyMap) key.Binding { return k.Machines }, offers: machineOffers},
		{Name: commandPersonas, PlainArgs: "[N | WORDS]", Help: "Talk to somebody else.", do: (*chat).personasCommand,
			key: func(k *keyMap) key.Binding { return k.Personas }},
		{Name: commandSessions, Args: "[WORDS]", PlainArgs: "[N | name N LABEL | forget N]", Help: "List your sessions: go on with one, name it, forget it.", do: (*chat).sessionsCommand,
			key: func(k *keyMap) key.Binding { return k.Sessions }, offers: sessionOffers},
		{Name: commandNew, Help: "Begin a new session with this persona; this one is kept.", do: (*chat).newCommand, alone: true},
		{Name: commandProgress, Help: "Show what has been ended and what is open.", do: (*chat).progressCommand},
		{Name: commandState, Help: "Show where you stand: the states, the score, the machines.", do: (*chat).stateCommand,
			key: func(k *keyMap) key.Binding { return k.Standing }},
		{Name: commandHistory, Help: "Read the conversation from its beginning.", do: (*chat).historyCommand},
		{Name: commandSearch, Args: "[WORDS]", Help: "Find what was said, and go there.", do: (*chat).searchCommand,
			key: func(k *keyMap) key.Binding { return k.Search }},
		{Name: commandCopy, Args: "[N]", Help: "Choose a message to copy, or copy the Nth from the end.", Screen: true, do: (*chat).copyCommand,
			offers: copyOffers},
		{Name: commandEdit, Help: "Write in your own editor ($VISUAL or $EDITOR).", Screen: true, do: (*chat).editCommand,
			key: func(k *keyMap) key.Binding { return k.Editor }},
		{Name: commandExport, Args: "[md | json | html] [FILE]", Help: "Write all that was said into a file.", do: (*chat).exportCommand,
			offers: formatOffers},
		{Name: commandSavePlay, Args: "[FILE]", Help: "Save what was played as a play-through for parley persona test.", do: (*chat).savePlayCommand},
		{Name: commandTheme, Args: "[THEME]", Help: "Give the screen other colours.", Screen: true, do: (*chat).themeCommand,
			offers: themeOffers},
		{Name: commandReset, Help: "Clear this machine's conversation and begin it again.", do: (*chat).resetCommand, alone: true},
		{Name: commandWhy, Help: "Tell the persona's author why each turn went as it did.", do: (*chat).whyCommand,
			key: func(k *keyMap) key.Binding { return k.Author }},
		{Name: commandDirect, Args: "[N [TEXT]]", Help: "With the offline model: list what your words can do here, or do the Nth of it.", do: (*chat).directCommand, alone: true,
			key: func(k *keyMap) key.Binding { return k.Director }, offers: directOffers},
		{Name: commandQuit, Help: "Leave.", do: (*chat).quitCommand, key: func(k *keyMap) key.Binding { return k.Leave }},
	}
}

// parseCommand reads a line that begins with a slash. Two slashes say a text
// that begins with one; then, and for any other line, text is what to say.
func parseCommand(line string) (cmd *Command, arg, text string, err error) {
	line = strings.TrimSpace(line)
	rest, isCommand := strings.CutPrefix(line, "/")
	switch {
	case !isCommand:
		return nil, "", line, nil
	case strings.HasPrefix(rest, "/"):
		return nil, "", rest, nil
	}
	name, arg, _ := strings.Cut(rest, " ")
	if c := command(name); c != nil {
		return c, strings.TrimSpace(arg), "", nil
	}
	return nil, "", "", fmt.Errorf("there is no command /%s%s; to say it, begin with two slashes", Clean(name), near(name))
}

// command finds a command by its name; nil when there is none.
func command(name string) *Command {
	for _, c := range Commands() {
		if strings.EqualFold(c.Name, name) {
			return &c
		}
	}
	return nil
}

// near suggests the command that begins as the mistyped one does, or is spelt
// like it.
func near(name string) string {
	var names []string
	for _, c := range Commands() {
		if name != "" && strings.HasPrefix(c.Name, strings.ToLower(name)) {
			return fmt.Sprintf(" (did you mean /%s?)", c.Name)
		}
		names = append(names, c.Name)
	}
	if like := personas.Nearest(strings.ToLower(name), names); like != "" {
		return fmt.Sprintf(" (did you mean /%s?)", like)
	}
	return ""
}

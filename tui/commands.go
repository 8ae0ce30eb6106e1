package tui

import (
	"fmt"
	"strings"
)

// Command is one of the slash commands that both modes know.
type Command struct {
	Name string // without the slash
	Args string // how its arguments are written, "" for none
	Help string // one sentence
}

// Usage is the command as it is typed, "/machines [MACHINE]".
func (c Command) Usage() string { return strings.TrimSpace("/" + c.Name + " " + c.Args) }

// The names of the commands.
const (
	commandHelp     = "help"
	commandMachines = "machines"
	commandProgress = "progress"
	commandHistory  = "history"
	commandReset    = "reset"
	commandQuit     = "quit"
)

// Commands is the table of slash commands, in the order in which help shows
// them.
func Commands() []Command {
	return []Command{
		{commandHelp, "", "Show the commands."},
		{commandMachines, "[MACHINE]", "List the machines, or go to one by its number or key."},
		{commandProgress, "", "Show what has been ended and what is open."},
		{commandHistory, "", "Read the conversation from its beginning."},
		{commandReset, "", "Clear this machine's conversation and begin it again."},
		{commandQuit, "", "Leave."},
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
	for _, c := range Commands() {
		if strings.EqualFold(c.Name, name) {
			return &c, strings.TrimSpace(arg), "", nil
		}
	}
	return nil, "", "", fmt.Errorf("there is no command /%s%s; to say it, begin with two slashes", Clean(name), near(name))
}

// near suggests the command that begins as the mistyped one does.
func near(name string) string {
	for _, c := range Commands() {
		if name != "" && (strings.HasPrefix(c.Name, strings.ToLower(name)) || strings.EqualFold(c.Name[:1], name[:1])) {
			return fmt.Sprintf(" (did you mean /%s?)", c.Name)
		}
	}
	return ""
}

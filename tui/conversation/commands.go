package conversation

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/tui/terminal"
)

// Group is a heading of the help.
type Group string

const (
	GroupBack    Group = "Taking back"
	GroupWriting Group = "Writing"
	GroupReading Group = "Reading back"
	GroupStory   Group = "The story"
	GroupPeople  Group = "People and sessions"
	GroupWindow  Group = "The window"
)

// Groups returns the headings of the help, in order.
func Groups() []Group {
	return []Group{GroupBack, GroupWriting, GroupReading, GroupStory, GroupPeople, GroupWindow}
}

// Command is a slash command.
type Command struct {
	Name  string // without the slash
	Group Group
	Also  string // a second name
	Args  string // the syntax of the arguments
	// LineArgs replaces Args in line mode, unless LineArgs is empty.
	LineArgs string
	Help     string // one sentence
	Action   string // the key action with the same effect
	// ScreenOnly excludes the command from line mode.
	ScreenOnly bool
	// ForAuthors marks a command for authors of personas.
	ForAuthors bool
	// Alone marks a command that uses the session on the service. The screen rejects the command
	// during another request.
	Alone bool
}

// Usage returns the syntax, for example "/parts [PART]".
func (c *Command) Usage() string { return strings.TrimSpace("/" + c.Name + " " + c.Args) }

// LineUsage returns the syntax in line mode.
func (c *Command) LineUsage() string {
	return strings.TrimSpace("/" + c.Name + " " + cmp.Or(c.LineArgs, c.Args))
}

// DescribeArgs describes the arguments in line mode for a screen reader.
func (c *Command) DescribeArgs() string {
	var parts []string
	isBracket := func(r rune) bool { return r == '[' || r == ']' }
	for part := range strings.FieldsFuncSeq(cmp.Or(c.LineArgs, c.Args), isBracket) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, strings.ReplaceAll(part, " | ", " or "))
		}
	}
	if parts == nil {
		return ""
	}
	return " It can be followed by " + strings.Join(parts, ", then ") + "."
}

const (
	CommandReset = "reset"
	CommandQuit  = "quit"
)

// Commands returns the slash commands in the order of the help. A new command needs code in
// tui/chat_commands.go and in tui/lines/commands.go.
func Commands() []Command {
	return []Command{
		{Name: "help", Group: GroupWindow, Help: "Show the keys and the commands.", Action: "help"},
		{Name: "undo", Group: GroupBack, Also: "edit", Args: "[N]", Help: "Take back your last message or the last N, with their tries, and edit the text; also /edit.", Action: "take-back", Alone: true},
		{Name: "redo", Group: GroupBack, Help: "Restore the messages that you took back.", Alone: true},
		{Name: "retry", Group: GroupBack, Args: "[--judge]", Help: "Get another reply to your last message; --judge has the message judged again.", Action: "reword", Alone: true},
		{Name: "branches", Group: GroupBack, Args: "[N]", Help: "Show all branches as a tree, or go to branch N.", Alone: true},
		{Name: "compare", Group: GroupBack, Args: "[N]", Help: "Show where this branch differs from its parent, or from branch N.", Alone: true},
		{Name: "fork", Group: GroupBack, Args: "[NAME]", Help: "Save the current conversation as a branch, and continue here.", Action: "fork", Alone: true},
		{Name: "parts", Group: GroupStory, Also: "machines", Args: "[PART]", Help: "List the parts of the story, or go to one by its number or key.", Action: "parts"},
		{Name: "personas", Group: GroupPeople, LineArgs: "[N | WORDS]", Help: "Talk to somebody else.", Action: "personas"},
		{Name: "name", Group: GroupPeople, Args: "[NAME]", Help: "Set your name for the characters; it is saved for later chats."},
		{Name: "sessions", Group: GroupPeople, Args: "[WORDS]", LineArgs: "[N | name N LABEL | forget N]", Help: "List your sessions: continue, name or forget one.",
			Action: "sessions"},
		{Name: "new", Group: GroupPeople, Help: "Begin a new session with this persona; the current one is kept.", Alone: true},
		{Name: "progress", Group: GroupStory, Help: "Show which parts have ended and which are open."},
		{Name: "state", Group: GroupStory, Help: "Show your goal, score, tries and parts.", Action: "state"},
		{Name: "history", Group: GroupReading, Help: "Read the conversation from its beginning."},
		{Name: "search", Group: GroupReading, Args: "[WORDS]", Help: "Find a message by its words, and go there.", Action: "search"},
		{Name: "copy", Group: GroupReading, Args: "[N]", Help: "Choose a message to copy, or copy the Nth from the end.", ScreenOnly: true},
		{Name: "editor", Group: GroupWriting, Help: "Write in your own editor ($VISUAL or $EDITOR).", Action: "edit", ScreenOnly: true},
		{Name: "export", Group: GroupReading, Args: "[md | json | html] [FILE]", Help: "Write the conversation to a file."},
		{Name: "theme", Group: GroupWindow, Args: "[THEME]", Help: "Choose the colours of the screen.", ScreenOnly: true},
		{Name: "panel", Group: GroupWindow, Args: "[on | off]", Help: "Show the side panel or hide it; on and off also apply to later chats.", Action: "panel", ScreenOnly: true},
		{Name: "mouse", Group: GroupWindow, Args: "[on | off]", Help: "Let the terminal or parley handle the mouse.", Action: "mouse", ScreenOnly: true},
		{Name: CommandReset, Group: GroupStory, Help: "Clear the conversation of this part and begin it again.", Alone: true},
		{Name: CommandQuit, Group: GroupWindow, Help: "Leave.", Action: "leave"},
		{Name: "save-play", Group: GroupStory, Args: "[FILE]", Help: "Save the conversation as a play-through for parley persona test.", ForAuthors: true},
		{Name: "why", Group: GroupStory, Help: "Explain each turn, and show the side panel for authors.", Action: "why", ForAuthors: true},
		{Name: "direct", Group: GroupStory, Args: "[N [TEXT]]", Help: "With the offline model: list the possible decisions here, or force the Nth.",
			Action: "direct", ForAuthors: true, Alone: true},
		{Name: "update", Group: GroupStory, Help: "Continue in the latest version of the character, from the first message that this version judges differently.",
			Action: "update", ForAuthors: true, Alone: true},
	}
}

// AuthorHeading is the heading of the commands for authors in the help.
const (
	AuthorHeading  = "For those who write personas"
	MoreForAuthors = "More for those who write personas: /help " + HelpForAuthors
	HelpForAuthors = "author"
)

// ParseLine parses a line of input. A line with one leading slash is a command, and an unknown
// command is a Slip. Any other line is a message, and a second leading slash is removed.
func ParseLine(line string) (cmd *Command, arg, text string, err error) {
	line = strings.TrimSpace(line)
	rest, isCommand := strings.CutPrefix(line, "/")
	switch {
	case !isCommand:
		return nil, "", line, nil
	case strings.HasPrefix(rest, "/"):
		return nil, "", rest, nil
	}
	name, arg, _ := strings.Cut(rest, " ")
	if c := FindCommand(name); c != nil {
		return c, strings.TrimSpace(arg), "", nil
	}
	var names []string
	for _, c := range Commands() {
		names = append(names, c.Name)
	}
	hint := "/help lists the commands"
	if near := personas.Nearest(strings.ToLower(name), names); near != "" {
		hint = "did you mean /" + near + "?"
	}
	return nil, "", "", Slip(fmt.Sprintf(
		"unknown command /%s (%s); to send this as a message, begin it with two slashes", terminal.Clean(name), hint))
}

// FindCommand returns the command with a name, or nil.
func FindCommand(name string) *Command {
	for _, c := range Commands() {
		if strings.EqualFold(c.Name, name) || c.Also != "" && strings.EqualFold(c.Also, name) {
			return &c
		}
	}
	return nil
}

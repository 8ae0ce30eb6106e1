package conversation

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/tui/terminal"
)

// Actions has a method for each row of the command table. The screen and line mode have their own
// implementations. E is the result of an action: a tea.Cmd on the screen, an error in line mode.
type Actions[E any] interface {
	ShowHelp(arg string) E
	GoToMachine(arg string) E
	ChoosePersona(arg string) E
	RenamePlayer(arg string) E
	ChooseSession(arg string) E
	BeginSession(arg string) E
	ShowProgress(arg string) E
	ShowState(arg string) E
	ShowHistory(arg string) E
	SearchMessages(arg string) E
	CopyMessage(arg string) E
	EditMessage(arg string) E
	ExportRecord(arg string) E
	SavePlay(arg string) E
	ChooseTheme(arg string) E
	ShowPanel(arg string) E
	SwitchMouse(arg string) E
	ResetSession(arg string) E
	UndoTurn(arg string) E
	RedoTurn(arg string) E
	RetryTurn(arg string) E
	ForkSession(arg string) E
	ShowBranches(arg string) E
	CompareBranches(arg string) E
	ExplainTurns(arg string) E
	DirectModel(arg string) E
	UpdateSession(arg string) E
	LeaveChat(arg string) E
}

// A Completer returns completions for the arguments of commands.
type Completer interface {
	CompleteMachine() []Completion
	CompleteSession() []Completion
	CompleteMessage() []Completion
	CompleteFormat() []Completion
	CompleteTheme() []Completion
	CompletePanel() []Completion
	CompleteMouse() []Completion
	CompleteDirection() []Completion
}

// PaletteTitle returns the command's text in the list of all commands.
func (c *Command[E]) PaletteTitle() string {
	if c.ForAuthors {
		return "For authors: " + c.Help
	}
	return c.Help
}

// Completion is a possible completion of a line that begins with a slash: a command or
// an argument of a command.
type Completion struct {
	Text  string // the text to insert
	About string // a description, clean
	// Whole means that the completion is a complete command, so that Enter may run it.
	Whole bool
}

// Command is a slash command.
type Command[E any] struct {
	Name string // without the slash
	Also string // a second name that also works, or ""
	Args string // the syntax of the arguments, or ""
	// LineArgs is the syntax in line mode if it differs from Args.
	LineArgs string
	Help     string // one sentence
	Action   string // the action with the same effect in the screen's key table, or ""
	// ScreenOnly means that line mode does not support the command.
	ScreenOnly bool
	// ForAuthors means that the command is for authors of personas. The help lists it
	// below the others.
	ForAuthors bool
	// Alone means that the command reads or changes the session on the service. The screen
	// therefore rejects it while another request is running.
	Alone bool
	// Run calls the command's method of Actions.
	Run func(a Actions[E], arg string) E
	// Complete returns completions of the arguments, or is nil without completions.
	Complete func(Completer) []Completion
}

// Usage returns the command's syntax, such as "/parts [PART]".
func (c *Command[E]) Usage() string { return strings.TrimSpace("/" + c.Name + " " + c.Args) }

// LineUsage returns the command's syntax in line mode.
func (c *Command[E]) LineUsage() string {
	return strings.TrimSpace("/" + c.Name + " " + cmp.Or(c.LineArgs, c.Args))
}

// DescribeArgs returns a command's arguments in line mode for reading aloud, without brackets.
func (c *Command[E]) DescribeArgs() string {
	var parts []string
	for part := range strings.FieldsFuncSeq(cmp.Or(c.LineArgs, c.Args), func(r rune) bool { return r == '[' || r == ']' }) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, strings.ReplaceAll(part, " | ", " or "))
		}
	}
	if parts == nil {
		return ""
	}
	return " It can be followed by " + strings.Join(parts, ", then ") + "."
}

// Names of commands that are also used outside the table.
const (
	CommandReset = "reset"
	CommandQuit  = "quit"
)

// Commands returns the table of slash commands, in the order of help, palette and completion. A new
// command needs a row here and a method in Actions, which both modes must implement.
func Commands[E any]() []Command[E] {
	return []Command[E]{
		{Name: "help", Help: "Show the keys and the commands.", Action: "help", Run: Actions[E].ShowHelp},
		{Name: "undo", Also: "edit", Args: "[N]", Help: "Take back your last message or the last N, with their tries, and edit the text; also /edit.", Action: "take-back", Alone: true, Run: Actions[E].UndoTurn},
		{Name: "redo", Help: "Restore the messages that you took back.", Alone: true, Run: Actions[E].RedoTurn},
		{Name: "retry", Args: "[--judge]", Help: "Get another reply to your last message; --judge has the message judged again.", Action: "reword", Alone: true, Run: Actions[E].RetryTurn},
		{Name: "branches", Args: "[N]", Help: "Show all branches as a tree, or go to branch N.", Alone: true, Run: Actions[E].ShowBranches},
		{Name: "compare", Args: "[N]", Help: "Show where this branch differs from its parent, or from branch N.", Alone: true, Run: Actions[E].CompareBranches},
		{Name: "fork", Args: "[NAME]", Help: "Save the current conversation as a branch, and continue here.", Action: "fork", Alone: true, Run: Actions[E].ForkSession},
		{Name: "parts", Also: "machines", Args: "[PART]", Help: "List the parts of the story, or go to one by its number or key.", Action: "parts",
			Run: Actions[E].GoToMachine, Complete: Completer.CompleteMachine},
		{Name: "personas", LineArgs: "[N | WORDS]", Help: "Talk to somebody else.", Action: "personas", Run: Actions[E].ChoosePersona},
		{Name: "name", Args: "[NAME]", Help: "Set your name for the characters; it is saved for later chats.", Run: Actions[E].RenamePlayer},
		{Name: "sessions", Args: "[WORDS]", LineArgs: "[N | name N LABEL | forget N]", Help: "List your sessions: continue, name or forget one.",
			Action: "sessions", Run: Actions[E].ChooseSession, Complete: Completer.CompleteSession},
		{Name: "new", Help: "Begin a new session with this persona; the current one is kept.", Alone: true, Run: Actions[E].BeginSession},
		{Name: "progress", Help: "Show which parts have ended and which are open.", Run: Actions[E].ShowProgress},
		{Name: "state", Help: "Show your goal, score, tries and parts.", Action: "state", Run: Actions[E].ShowState},
		{Name: "history", Help: "Read the conversation from its beginning.", Run: Actions[E].ShowHistory},
		{Name: "search", Args: "[WORDS]", Help: "Find a message by its words, and go there.", Action: "search", Run: Actions[E].SearchMessages},
		{Name: "copy", Args: "[N]", Help: "Choose a message to copy, or copy the Nth from the end.", ScreenOnly: true,
			Run: Actions[E].CopyMessage, Complete: Completer.CompleteMessage},
		{Name: "editor", Help: "Write in your own editor ($VISUAL or $EDITOR).", Action: "edit", ScreenOnly: true, Run: Actions[E].EditMessage},
		{Name: "export", Args: "[md | json | html] [FILE]", Help: "Write the conversation to a file.",
			Run: Actions[E].ExportRecord, Complete: Completer.CompleteFormat},
		{Name: "theme", Args: "[THEME]", Help: "Choose the colours of the screen.", ScreenOnly: true,
			Run: Actions[E].ChooseTheme, Complete: Completer.CompleteTheme},
		{Name: "panel", Args: "[on | off]", Help: "Show the side panel or hide it; on and off also apply to later chats.", Action: "panel", ScreenOnly: true,
			Run: Actions[E].ShowPanel, Complete: Completer.CompletePanel},
		{Name: "mouse", Args: "[on | off]", Help: "Let the terminal or parley handle the mouse.", Action: "mouse", ScreenOnly: true,
			Run: Actions[E].SwitchMouse, Complete: Completer.CompleteMouse},
		{Name: CommandReset, Help: "Clear the conversation of this part and begin it again.", Alone: true, Run: Actions[E].ResetSession},
		{Name: CommandQuit, Help: "Leave.", Action: "leave", Run: Actions[E].LeaveChat},
		{Name: "save-play", Args: "[FILE]", Help: "Save the conversation as a play-through for parley persona test.", ForAuthors: true, Run: Actions[E].SavePlay},
		{Name: "why", Help: "Explain each turn, and show the side panel for authors.", Action: "why", ForAuthors: true, Run: Actions[E].ExplainTurns},
		{Name: "direct", Args: "[N [TEXT]]", Help: "With the offline model: list the possible decisions here, or force the Nth.",
			Action: "direct", ForAuthors: true, Alone: true, Run: Actions[E].DirectModel, Complete: Completer.CompleteDirection},
		{Name: "update", Help: "Continue in the latest version of the character, from the first message that this version judges differently.",
			Action: "update", ForAuthors: true, Alone: true, Run: Actions[E].UpdateSession},
	}
}

// AuthorHeading is the heading of the authors' part of the help. /help shows that part only with
// the argument HelpForAuthors. Otherwise it shows MoreForAuthors.
const (
	AuthorHeading  = "For those who write personas"
	MoreForAuthors = "More for those who write personas: /help " + HelpForAuthors
	HelpForAuthors = "author"
)

// ParseLine parses a line of input. For a line that begins with one slash it returns the command
// and its arguments, or an error for an unknown command. Any other line is a message, returned as
// text. If the message begins with two slashes, the first is removed.
func ParseLine[E any](line string) (cmd *Command[E], arg, text string, err error) {
	line = strings.TrimSpace(line)
	rest, isCommand := strings.CutPrefix(line, "/")
	switch {
	case !isCommand:
		return nil, "", line, nil
	case strings.HasPrefix(rest, "/"):
		return nil, "", rest, nil
	}
	name, arg, _ := strings.Cut(rest, " ")
	if c := FindCommand[E](name); c != nil {
		return c, strings.TrimSpace(arg), "", nil
	}
	return nil, "", "", fmt.Errorf("unknown command /%s%s; to send this as a message, begin it with two slashes", terminal.Clean(name), suggestCommand(name))
}

// FindCommand returns the command with the given name, or nil.
func FindCommand[E any](name string) *Command[E] {
	for _, c := range Commands[E]() {
		if strings.EqualFold(c.Name, name) || c.Also != "" && strings.EqualFold(c.Also, name) {
			return &c
		}
	}
	return nil
}

func suggestCommand(name string) string {
	var names []string
	for _, c := range Commands[error]() {
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

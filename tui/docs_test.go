package tui

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
)

// docs/chat.md has the keys and the commands as their tables have them; -update writes them again.
func TestChatPageIsFresh(t *testing.T) {
	const page = "../docs/chat.md"
	source := assert.Value(os.ReadFile(page))(t)
	fresh := string(source)
	for name, table := range map[string]string{"keys": keyTable(), "commands": commandTable(), "vim": vimTable()} {
		block := regexp.MustCompile(`(?s)<!-- ` + name + ` -->.*<!-- /` + name + ` -->`)
		assert.Must(t, block.MatchString(fresh), "docs/chat.md has no place for the %s", name)
		fresh = block.ReplaceAllLiteralString(fresh, "<!-- "+name+" -->\n"+table+"<!-- /"+name+" -->")
	}
	assert.Golden(t, page, fresh)
}

func keyTable() string {
	var b strings.Builder
	b.WriteString("| key | | action |\n|---|---|---|\n")
	usual := views.NewKeyMap()
	for _, a := range views.KeyActions() {
		bound, _ := usual.FindBinding(a.Name)
		fmt.Fprintf(&b, "| %s | %s | `%s` |\n", bound.Help().Key, cell(bound.Help().Desc), a.Name)
	}
	return b.String()
}

func vimTable() string {
	var b strings.Builder
	b.WriteString("| key | |\n|---|---|\n")
	for _, move := range slices.Concat(views.Moves(), views.ReadingKeys()) {
		if move.Shown != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", move.Shown, cell(move.Does))
		}
	}
	return b.String()
}

func commandTable() string {
	var b strings.Builder
	b.WriteString("| command | | key | with `--plain` |\n|---|---|---|---|\n")
	for _, c := range conversation.Commands[tea.Cmd]() {
		plain := "yes"
		if c.LineArgs != "" {
			plain = "`" + cell(c.LineUsage()) + "`"
		}
		if c.ScreenOnly {
			plain = "no"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", cell(c.Usage()), cell(c.Help), views.NewKeyMap().ShownKey(c.Action), plain)
	}
	return b.String()
}

// cell is a text in a Markdown table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

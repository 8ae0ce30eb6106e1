package tui

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
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
	for _, c := range conversation.Commands() {
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

// TestASCIIScreens: if the terminal does not decode UTF-8, all screens are pure ASCII in the same columns.
func TestASCIIScreens(t *testing.T) {
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) {
			d := s.make(t)
			d.root.env.opts.Repertoire = terminal.OnlyASCII
			for _, size := range [][2]int{{40, 12}, {120, 40}, {80, 24}} {
				d.Resize(size[0], size[1])
				exact(t, d.root.View(), size[0], size[1])
				if at := strings.IndexFunc(d.screen(), func(r rune) bool { return r > '~' }); at >= 0 {
					t.Fatalf("%v has %q:\n%s", size, d.screen()[at:min(at+4, len(d.screen()))], d.screen())
				}
			}
			if isPanelScreen(s.name) {
				golden(t, fmt.Sprintf("ascii/%s-80x24", s.name), d.screen())
			}
		})
	}
}

// TestPlainSignsKeepTexts: if the terminal reads UTF-8 but may lack signs, texts stay unchanged.
func TestPlainSignsKeepTexts(t *testing.T) {
	for _, s := range screens {
		d := s.make(t)
		before := d.screen()
		d.root.env.opts.Repertoire = terminal.PlainSigns
		if s.name == "scripts" {
			d.shows("日本語の文章は", "cafe\u0301", "שלום")
		}
		assert.Equal(t, d.screen(), terminal.PlainSigns.LimitText(before), s.name)
	}
}

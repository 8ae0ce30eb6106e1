package program

import (
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/assert"
)

// keyNames collects the names of the keys that it receives.
type keyNames struct{ names []string }

func (k *keyNames) Init() tea.Cmd { return nil }
func (k *keyNames) View() string  { return "" }
func (k *keyNames) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if press, ok := msg.(tea.KeyMsg); ok {
		k.names = append(k.names, press.String())
	}
	return k, nil
}

// TestWordsAreNoKeys: a word that arrives in one message and is also the name of a key is text.
func TestWordsAreNoKeys(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"up", "down", "enter", "esc", "tab", "home", "end", "ctrl+c", "f6", "pgup", "backspace"} {
		screen := &keyNames{}
		p := &PasteDetector{screen: screen, now: time.Now, After: func(time.Duration, tea.Msg) tea.Cmd { return nil }}
		p.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(word)})
		text := ""
		for _, name := range screen.names {
			text += name
		}
		assert.Equal(t, text, word, "arrives %q", screen.names)
		assert.Equal(t, len(screen.names), len(word), "arrives %q", screen.names)
	}
}

package program

import (
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// decodeCode decodes a key that the terminal sends as a character and modifiers: "ESC [ 97 ; 5 u",
// or "ESC [ 27 ; 5 ; 97 ~" in xterm. Some terminals and tmux send these sequences, depending on
// their settings. decodeCode does not support the other forms of kitty's keyboard protocol, because
// Parley does not turn this protocol on.
func decodeCode(code rune, held modifiers) (tea.KeyMsg, bool) {
	switch {
	case held.has(foreign):
		return tea.KeyMsg{}, false
	case code == '\r':
		return decodeEnter(held)
	case code == '\t':
		return tabKey.press(held)
	case code == esc:
		return tea.KeyMsg{Type: tea.KeyEscape, Alt: held.has(alt)}, true
	case code == '\b' || code == del:
		return tea.KeyMsg{Type: tea.KeyBackspace, Alt: held.has(alt | ctrl)}, true // Ctrl+Backspace deletes a word, like Alt+Backspace.
	case held.has(ctrl):
		return decodeCtrl(code, held)
	case held.has(shift):
		code = unicode.ToUpper(code)
	}
	if !utf8.ValidRune(code) || unicode.IsControl(code) || code >= firstPrivate && code <= lastPrivate {
		return tea.KeyMsg{}, false
	}
	press := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{code}, Alt: held.has(alt)}
	if code == ' ' {
		press.Type = tea.KeySpace
	}
	return press, true
}

// The codes of kitty for keys without a character.
const (
	firstPrivate = 57344
	lastPrivate  = 63743
)

func decodeEnter(held modifiers) (tea.KeyMsg, bool) {
	return tea.KeyMsg{Type: tea.KeyEnter, Alt: held.has(shift | alt)}, !held.has(foreign)
}

func decodeCtrl(code rune, held modifiers) (tea.KeyMsg, bool) {
	press := tea.KeyMsg{Alt: held.has(alt)}
	switch {
	case code >= 'a' && code <= 'z' && !held.has(shift): // The terminal itself uses Ctrl+Shift+letter, for example to copy.
		press.Type = tea.KeyType(code - 'a' + 1)
	case code == ' ' || code == '@':
		press.Type = tea.KeyCtrlAt
	case code == '[':
		press.Type = tea.KeyEscape
	case code == '\\':
		press.Type = tea.KeyCtrlBackslash
	case code == ']':
		press.Type = tea.KeyCtrlCloseBracket
	case code == '^' || code == '6' && held.has(shift):
		press.Type = tea.KeyCtrlCaret
	case code == '_' || code == '-' || code == '/':
		press.Type = tea.KeyCtrlUnderscore
	default:
		return tea.KeyMsg{}, false
	}
	return press, true
}

package program

import (
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// The first and last code of the keys without text in kitty's keyboard protocol.
const (
	firstFunctional = 57344
	lastFunctional  = 63743
	keypadEnter     = 57414
)

// functionalKeys maps kitty's codes to keys. Other codes between firstFunctional and lastFunctional
// are locks, media keys and single modifiers, which are ignored.
var functionalKeys = map[rune]special{
	57376: {tea.KeyF13}, 57377: {tea.KeyF14}, 57378: {tea.KeyF15}, 57379: {tea.KeyF16},
	57380: {tea.KeyF17}, 57381: {tea.KeyF18}, 57382: {tea.KeyF19}, 57383: {tea.KeyF20},
	57417: leftKey, 57418: rightKey, 57419: upKey, 57420: downKey, 57421: pageUpKey, 57422: pageDownKey,
	57423: homeKey, 57424: endKey, 57425: insertKey, 57426: deleteKey,
}

// keypadLetters maps kitty's codes for the keypad to characters.
var keypadLetters = map[rune]rune{
	57399: '0', 57400: '1', 57401: '2', 57402: '3', 57403: '4', 57404: '5', 57405: '6', 57406: '7', 57407: '8', 57408: '9',
	57409: '.', 57410: '/', 57411: '*', 57412: '-', 57413: '+', 57415: '=', 57416: ',',
}

// decodeCode decodes "ESC [ code ; modifiers ; text u" of kitty's keyboard protocol. The two
// formats of xterm for such keys are a subset.
func decodeCode(p parameters) (tea.KeyMsg, bool) {
	code, held := p.at(0, 0), p.held()
	if len(p) > 3 || p.released() || held.has(foreign) {
		return tea.KeyMsg{}, false
	}
	switch code {
	case '\r', keypadEnter:
		return decodeEnter(held)
	case '\t':
		return tabKey.press(held)
	case esc:
		return tea.KeyMsg{Type: tea.KeyEscape, Alt: held.has(alt)}, true
	case '\b', del:
		return tea.KeyMsg{Type: tea.KeyBackspace, Alt: held.has(alt | ctrl)}, true // Ctrl+Backspace deletes a word, like Alt+Backspace.
	}
	if key, known := functionalKeys[code]; known {
		return key.press(held)
	}
	if text := p.text(); text != nil && !held.has(alt|ctrl) {
		return typed(text, false), true
	}
	if held.has(ctrl) {
		return decodeCtrl(p, held)
	}
	letter, ok := p.letter(held)
	if !ok {
		return tea.KeyMsg{}, false
	}
	return typed([]rune{letter}, held.has(alt)), true
}

func decodeEnter(held modifiers) (tea.KeyMsg, bool) {
	return tea.KeyMsg{Type: tea.KeyEnter, Alt: held.has(shift | alt)}, !held.has(foreign)
}

func typed(letters []rune, withAlt bool) tea.KeyMsg {
	if len(letters) == 1 && letters[0] == ' ' {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: letters, Alt: withAlt}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: letters, Alt: withAlt}
}

func (p parameters) text() []rune {
	if len(p) < 3 {
		return nil
	}
	var letters []rune
	for i := range p[2] {
		letter := p.sub(2, i, 0)
		if !writes(letter) {
			return nil
		}
		letters = append(letters, letter)
	}
	return letters
}

func (p parameters) letter(held modifiers) (rune, bool) {
	code := p.at(0, 0)
	letter, keypad := keypadLetters[code]
	switch {
	case keypad:
	case code >= firstFunctional && code <= lastFunctional:
		return 0, false
	case held.has(shift) && p.sub(0, 1, 0) > 0:
		letter = p.sub(0, 1, 0)
	case held.has(shift) != held.has(capsLock):
		letter = unicode.ToUpper(code)
	default:
		letter = code
	}
	return letter, writes(letter)
}

func writes(letter rune) bool {
	return utf8.ValidRune(letter) && !unicode.IsControl(letter)
}

// decodeCtrl decodes a key with Ctrl. A key of a non-Latin keyboard becomes the character in the
// same position of a Latin keyboard.
func decodeCtrl(p parameters, held modifiers) (tea.KeyMsg, bool) {
	code := p.at(0, 0)
	if code >= utf8.RuneSelf {
		code = p.sub(0, 2, code)
	}
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

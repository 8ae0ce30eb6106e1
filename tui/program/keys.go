package program

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

type modifiers int

const (
	shift modifiers = 1 << iota
	alt
	ctrl

	// foreign is the lowest modifier of window managers. Keys with such modifiers are ignored.
	foreign
)

func (m modifiers) has(flag modifiers) bool { return m&flag != 0 }

// special contains the key types without modifiers, with Shift, with Ctrl and with both.
// tea.KeyNull means an ignored combination.
type special [4]tea.KeyType

var (
	homeKey   = special{tea.KeyHome, tea.KeyShiftHome, tea.KeyCtrlHome, tea.KeyCtrlShiftHome}
	endKey    = special{tea.KeyEnd, tea.KeyShiftEnd, tea.KeyCtrlEnd, tea.KeyCtrlShiftEnd}
	deleteKey = special{tea.KeyDelete, tea.KeyDelete, tea.KeyDelete, tea.KeyDelete}
)

// letterKeys contains the keys of sequences like "ESC [ A" and "ESC O A".
var letterKeys = map[byte]special{
	'A': {tea.KeyUp, tea.KeyShiftUp, tea.KeyCtrlUp, tea.KeyCtrlShiftUp},
	'B': {tea.KeyDown, tea.KeyShiftDown, tea.KeyCtrlDown, tea.KeyCtrlShiftDown},
	'C': {tea.KeyRight, tea.KeyShiftRight, tea.KeyCtrlRight, tea.KeyCtrlShiftRight},
	'D': {tea.KeyLeft, tea.KeyShiftLeft, tea.KeyCtrlLeft, tea.KeyCtrlShiftLeft},
	'F': endKey, 'H': homeKey,
	'P': {tea.KeyF1, tea.KeyF13}, 'Q': {tea.KeyF2, tea.KeyF14},
	'R': {tea.KeyF3, tea.KeyF15}, 'S': {tea.KeyF4, tea.KeyF16},
}

var numberKeys = map[rune]special{
	1: homeKey, 2: {tea.KeyInsert, tea.KeyInsert}, 3: deleteKey, 4: endKey,
	5: {tea.KeyPgUp, tea.KeyPgUp, tea.KeyCtrlPgUp, tea.KeyCtrlPgUp},
	6: {tea.KeyPgDown, tea.KeyPgDown, tea.KeyCtrlPgDown, tea.KeyCtrlPgDown},
	7: homeKey, 8: endKey,
	11: {tea.KeyF1, tea.KeyF13}, 12: {tea.KeyF2, tea.KeyF14}, 13: {tea.KeyF3, tea.KeyF15}, 14: {tea.KeyF4, tea.KeyF16},
	15: {tea.KeyF5, tea.KeyF17}, 17: {tea.KeyF6, tea.KeyF18}, 18: {tea.KeyF7, tea.KeyF19}, 19: {tea.KeyF8, tea.KeyF20},
	20: {tea.KeyF9}, 21: {tea.KeyF10}, 23: {tea.KeyF11}, 24: {tea.KeyF12},
}

func (s special) press(held modifiers) tea.Msg {
	n := 0
	if held.has(shift) {
		n++
	}
	if held.has(ctrl) {
		n += 2
	}
	if s[n] == tea.KeyNull || held >= foreign {
		return nil
	}
	wordKey := s == deleteKey && held.has(ctrl) // like Alt+Delete
	return tea.KeyMsg{Type: s[n], Alt: held.has(alt) || wordKey}
}

func decodeCSI(body string, final byte) tea.Msg {
	if body == "[" && final >= 'A' && final <= 'E' { // a function key of the Linux console
		return numberKeys[rune(final-'A')+11].press(0)
	}
	report, isMouse := strings.CutPrefix(body, "<")
	params, ok := parseParameters(report)
	switch {
	case !ok:
		return nil
	case isMouse:
		return decodeMouse(params, final)
	case final == 'u' && len(params) <= 2:
		return decodeCode(params.value(0, 0), params.held())
	case final == '~' && params.value(0, 0) == 27 && len(params) == 3:
		return decodeCode(params[2], params.held())
	case final == '~' && len(params) <= 2:
		return numberKeys[params.value(0, 0)].press(params.held())
	case final == '^' && len(params) == 1: // urxvt
		return numberKeys[params[0]].press(ctrl)
	case final == 'Z' && body == "":
		return tea.KeyMsg{Type: tea.KeyShiftTab}
	case final == 'R' && params.held() == 0: // a cursor position report
		return nil
	case params.value(0, 1) != 1 || len(params) > 2:
		return nil
	}
	return letterKeys[final].press(params.held())
}

// decodeSS3 decodes a sequence like "ESC O A". held contains the modifiers as a number, or "".
func decodeSS3(held string, final byte) tea.Msg {
	n, _ := strconv.Atoi(held)
	switch with := modifiers(max(n-1, 0)); {
	case final == 'M':
		return decodeCode('\r', with)
	case final >= 'a' && final <= 'd': // Ctrl and an arrow in urxvt
		return letterKeys[final-'a'+'A'].press(ctrl)
	default:
		return letterKeys[final].press(with)
	}
}

// decodeCode decodes "ESC [ 97 ; 5 u" and xterm's "ESC [ 27 ; 5 ; 97 ~". Some terminals and tmux
// send these sequences without a request.
func decodeCode(code rune, held modifiers) tea.Msg {
	press := tea.KeyMsg{Alt: held.has(alt)}
	switch {
	case held >= foreign:
		return nil
	case code == '\r':
		return tea.KeyMsg{Type: tea.KeyEnter, Alt: held.has(shift | alt)}
	case code == '\t':
		return special{tea.KeyTab, tea.KeyShiftTab}.press(held)
	case code == esc:
		press.Type = tea.KeyEscape
	case code == '\b' || code == del:
		press.Type, press.Alt = tea.KeyBackspace, held.has(alt|ctrl) // like Alt+Backspace
	case held.has(ctrl):
		return decodeCtrl(code, held)
	case !utf8.ValidRune(code) || unicode.IsControl(code):
		return nil
	case unicode.Is(unicode.Co, code): // a key without a character in kitty
		return nil
	case code == ' ':
		press.Type, press.Runes = tea.KeySpace, []rune{code}
	case held.has(shift):
		press.Type, press.Runes = tea.KeyRunes, []rune{unicode.ToUpper(code)}
	default:
		press.Type, press.Runes = tea.KeyRunes, []rune{code}
	}
	return press
}

func decodeCtrl(code rune, held modifiers) tea.Msg {
	press := tea.KeyMsg{Alt: held.has(alt)}
	switch {
	case code >= 'a' && code <= 'z' && !held.has(shift): // Terminals use Ctrl+Shift+letter.
		press.Type = tea.KeyType(code - 'a' + 1)
	case code == ' ' || code == '@':
		press.Type = tea.KeyCtrlAt
	case code >= '[' && code <= '_':
		press.Type = tea.KeyType(code - '@')
	case code == '-' || code == '/':
		press.Type = tea.KeyCtrlUnderscore
	default:
		return nil
	}
	return press
}

// decodeMouse decodes "ESC [ < button ; x ; y M". The final byte m means a release.
func decodeMouse(params parameters, final byte) tea.Msg {
	const (
		noButton = 3
		motion   = 32
		wheel    = 64
		more     = 128
	)
	if len(params) != 3 || final != 'M' && final != 'm' {
		return nil
	}
	button := params[0]
	if button < 0 || button&more != 0 {
		return nil
	}
	m := tea.MouseMsg{
		Button: tea.MouseButtonLeft + tea.MouseButton(button&3),
		X:      int(max(params.value(1, 1)-1, 0)), Y: int(max(params.value(2, 1)-1, 0)),
	}
	switch {
	case button&wheel != 0:
		m.Button += tea.MouseButtonWheelUp - tea.MouseButtonLeft
	case button&motion != 0:
		m.Action = tea.MouseActionMotion
	case final == 'm' || button&3 == noButton:
		m.Action = tea.MouseActionRelease
	}
	return m
}

// parameters contains the numbers of a sequence. A missing number is -1.
type parameters []rune

const maxDigits = 7

func parseParameters(body string) (parameters, bool) {
	if body == "" {
		return nil, true
	}
	var p parameters
	for text := range strings.SplitSeq(body, ";") {
		n := -1
		if text != "" {
			if len(text) > maxDigits || strings.Trim(text, "0123456789") != "" {
				return nil, false
			}
			n, _ = strconv.Atoi(text)
		}
		p = append(p, rune(n))
	}
	return p, true
}

func (p parameters) value(i int, missing rune) rune {
	if i < len(p) && p[i] >= 0 {
		return p[i]
	}
	return missing
}

func (p parameters) held() modifiers { return modifiers(max(p.value(1, 1)-1, 0)) }

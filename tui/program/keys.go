package program

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// modifiers is a set of held modifier keys, with the bits of xterm and kitty.
type modifiers int

const (
	shift modifiers = 1 << iota
	alt
	ctrl
	super
	hyper
	meta

	// foreign contains the modifiers for the keys of window managers. The decoder ignores keys with
	// these modifiers.
	foreign = super | hyper | meta
)

func (m modifiers) has(some modifiers) bool { return m&some != 0 }

// special contains bubbletea's types for a key alone, with Shift, with Ctrl, and with both. The
// type tea.KeyNull means that the decoder ignores this combination.
type special [4]tea.KeyType

var (
	upKey       = special{tea.KeyUp, tea.KeyShiftUp, tea.KeyCtrlUp, tea.KeyCtrlShiftUp}
	downKey     = special{tea.KeyDown, tea.KeyShiftDown, tea.KeyCtrlDown, tea.KeyCtrlShiftDown}
	rightKey    = special{tea.KeyRight, tea.KeyShiftRight, tea.KeyCtrlRight, tea.KeyCtrlShiftRight}
	leftKey     = special{tea.KeyLeft, tea.KeyShiftLeft, tea.KeyCtrlLeft, tea.KeyCtrlShiftLeft}
	homeKey     = special{tea.KeyHome, tea.KeyShiftHome, tea.KeyCtrlHome, tea.KeyCtrlShiftHome}
	endKey      = special{tea.KeyEnd, tea.KeyShiftEnd, tea.KeyCtrlEnd, tea.KeyCtrlShiftEnd}
	pageUpKey   = special{tea.KeyPgUp, tea.KeyPgUp, tea.KeyCtrlPgUp, tea.KeyCtrlPgUp}
	pageDownKey = special{tea.KeyPgDown, tea.KeyPgDown, tea.KeyCtrlPgDown, tea.KeyCtrlPgDown}
	insertKey   = special{tea.KeyInsert, tea.KeyInsert}
	deleteKey   = special{tea.KeyDelete, tea.KeyDelete, tea.KeyDelete, tea.KeyDelete}
	tabKey      = special{tea.KeyTab, tea.KeyShiftTab}
)

// letterKeys maps the last letter of a sequence ("ESC [ A" or "ESC O A") to a key.
var letterKeys = map[byte]special{
	'A': upKey, 'B': downKey, 'C': rightKey, 'D': leftKey, 'F': endKey, 'H': homeKey,
	'P': {tea.KeyF1, tea.KeyF13}, 'Q': {tea.KeyF2, tea.KeyF14}, 'R': {tea.KeyF3, tea.KeyF15}, 'S': {tea.KeyF4, tea.KeyF16},
}

// numberKeys maps the number in a sequence ("ESC [ 5 ~") to a key.
var numberKeys = map[rune]special{
	1: homeKey, 2: insertKey, 3: deleteKey, 4: endKey, 5: pageUpKey, 6: pageDownKey, 7: homeKey, 8: endKey,
	11: {tea.KeyF1, tea.KeyF13}, 12: {tea.KeyF2, tea.KeyF14}, 13: {tea.KeyF3, tea.KeyF15}, 14: {tea.KeyF4, tea.KeyF16},
	15: {tea.KeyF5, tea.KeyF17}, 17: {tea.KeyF6, tea.KeyF18}, 18: {tea.KeyF7, tea.KeyF19}, 19: {tea.KeyF8, tea.KeyF20},
	20: {tea.KeyF9}, 21: {tea.KeyF10}, 23: {tea.KeyF11}, 24: {tea.KeyF12},
	25: {tea.KeyF13}, 26: {tea.KeyF14}, 28: {tea.KeyF15}, 29: {tea.KeyF16}, 31: {tea.KeyF17}, 32: {tea.KeyF18}, 33: {tea.KeyF19}, 34: {tea.KeyF20},
}

// keypad contains the characters for the sequences "ESC O j", "ESC O k" and so on, which a keypad
// sends in application mode.
const keypad = "*+,-./0123456789"

func (s special) press(held modifiers) (tea.KeyMsg, bool) {
	n := 0
	if held.has(shift) {
		n++
	}
	if held.has(ctrl) {
		n += 2
	}
	if s[n] == tea.KeyNull || held.has(foreign) {
		return tea.KeyMsg{}, false
	}
	wordKey := s == deleteKey && held.has(ctrl) // Ctrl+Delete deletes a word, like Alt+Delete.
	return tea.KeyMsg{Type: s[n], Alt: held.has(alt) || wordKey}, true
}

// decodeCSIKey decodes "ESC [", the body and the final byte. It returns false for other sequences,
// such as an answer of the terminal.
func decodeCSIKey(body string, final byte) (tea.KeyMsg, bool) {
	p, ok := parseParameters(body)
	if !ok {
		return tea.KeyMsg{}, false
	}
	key, known := numberKeys[p.at(0, 0)]
	switch final {
	case '~':
		if p.at(0, 0) == 27 && len(p) == 3 {
			return decodeCode(p[2], p.held())
		}
		return pressIf(known && len(p) <= 2, key, p.held())
	case 'u':
		if len(p) > 2 {
			return tea.KeyMsg{}, false
		}
		return decodeCode(p.at(0, 0), p.held())
	case 'Z':
		return tea.KeyMsg{Type: tea.KeyShiftTab}, body == ""
	case 'R':
		// The terminal's answer about the cursor's position also ends in R, but is not a key.
		if p.at(0, 1) != 1 || p.held() == 0 {
			return tea.KeyMsg{}, false
		}
	case '^', '$', '@':
		held := map[byte]modifiers{'^': ctrl, '$': shift, '@': ctrl | shift}[final]
		return pressIf(known && len(p) == 1, key, held) // urxvt's "ESC [ 5 ^"
	case 'a', 'b', 'c', 'd': // arrows with Shift in urxvt
		return pressIf(body == "", letterKeys[final-'a'+'A'], shift)
	}
	key, known = letterKeys[final]
	return pressIf(known && p.at(0, 1) == 1 && len(p) <= 2, key, p.held())
}

func pressIf(ok bool, key special, held modifiers) (tea.KeyMsg, bool) {
	if !ok {
		return tea.KeyMsg{}, false
	}
	return key.press(held)
}

// decodeConsoleKey decodes "ESC [ [ A" (Linux console).
func decodeConsoleKey(b byte) (tea.KeyMsg, bool) {
	if b < 'A' || b > 'E' {
		return tea.KeyMsg{}, false
	}
	return numberKeys[rune(b-'A')+11].press(0)
}

// decodeSS3Key decodes a sequence such as "ESC O A", with the final byte A. held is the number
// between O and the final byte, which encodes the modifiers. It is usually "".
func decodeSS3Key(held string, final byte) (tea.KeyMsg, bool) {
	n, _ := strconv.Atoi(held)
	with := modifiers(max(n-1, 0))
	switch {
	case final == 'M':
		return decodeEnter(with)
	case final >= 'a' && final <= 'd': // arrows with Ctrl in urxvt
		return letterKeys[final-'a'+'A'].press(ctrl)
	case final >= 'j' && final <= 'y':
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{rune(keypad[final-'j'])}}, true
	}
	key, known := letterKeys[final]
	return pressIf(known, key, with)
}

// parameters contains the numbers of a sequence: "97;5" is {97, 5}. An omitted number is -1.
type parameters []rune

// maxDigits is the maximum number of digits of a parameter. The highest code point has seven
// digits.
const maxDigits = 7

func parseParameters(body string) (parameters, bool) {
	if body == "" {
		return nil, true
	}
	var p parameters
	for text := range strings.SplitSeq(body, ";") {
		n := -1
		if text != "" {
			if len(text) > maxDigits || !isNumber([]byte(text)) {
				return nil, false
			}
			n, _ = strconv.Atoi(text)
		}
		p = append(p, rune(n))
	}
	return p, true
}

func isNumber(b []byte) bool {
	for _, digit := range b {
		if digit < '0' || digit > '9' {
			return false
		}
	}
	return len(b) > 0
}

func (p parameters) at(i int, missing rune) rune {
	if i < len(p) && p[i] >= 0 {
		return p[i]
	}
	return missing
}

func (p parameters) held() modifiers { return modifiers(max(p.at(1, 1)-1, 0)) }

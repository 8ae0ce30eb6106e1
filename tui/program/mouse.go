package program

import (
	tea "github.com/charmbracelet/bubbletea"
)

// The bits of the button code in a mouse report.
const (
	mouseShift  = 4
	mouseAlt    = 8
	mouseCtrl   = 16
	mouseMotion = 32
	mouseWheel  = 64
	mouseMore   = 128 // additional buttons
	mouseButton = 3   // the number of the button; 3 is for no button
	x10Offset   = 32
)

// decodeSGRMouse decodes the mouse report "ESC [ < button ; x ; y M". The final byte m means a
// release.
func decodeSGRMouse(body string, final byte) (tea.MouseMsg, bool) {
	if body == "" || body[0] != '<' || final != 'M' && final != 'm' {
		return tea.MouseMsg{}, false
	}
	p, ok := parseParameters(body[1:])
	if !ok || len(p) != 3 {
		return tea.MouseMsg{}, false
	}
	m := decodeButton(int(p.at(0, 0)))
	if final == 'm' && m.Action != tea.MouseActionMotion && !tea.MouseEvent(m).IsWheel() {
		m.Action = tea.MouseActionRelease
	}
	m.X, m.Y = int(max(p.at(1, 1)-1, 0)), int(max(p.at(2, 1)-1, 0))
	return m, true
}

func decodeX10Mouse(report []byte) tea.MouseMsg {
	m := decodeButton(int(report[0]) - x10Offset)
	m.X, m.Y = max(int(report[1])-x10Offset-1, 0), max(int(report[2])-x10Offset-1, 0)
	return m
}

func decodeButton(code int) tea.MouseMsg {
	m := tea.MouseMsg{Shift: code&mouseShift != 0, Alt: code&mouseAlt != 0, Ctrl: code&mouseCtrl != 0}
	number := tea.MouseButton(code & mouseButton)
	switch {
	case code&mouseMore != 0:
		m.Button = tea.MouseButtonBackward + number
	case code&mouseWheel != 0:
		m.Button = tea.MouseButtonWheelUp + number
		return m // A wheel report is never a motion.
	case number == mouseButton:
		m.Button, m.Action = tea.MouseButtonNone, tea.MouseActionRelease
	default:
		m.Button = tea.MouseButtonLeft + number
	}
	if code&mouseMotion != 0 {
		m.Action = tea.MouseActionMotion
	}
	return m
}

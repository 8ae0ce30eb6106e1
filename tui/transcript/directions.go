package transcript

import (
	"bytes"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// blockEnd is where a block of text ends in the source.
func blockEnd(n ast.Node) int {
	if lines := n.Lines(); lines.Len() > 0 {
		return lines.At(lines.Len() - 1).Stop
	}
	return 0
}

// paintDirections paints a piece of a paragraph. Text between ( and ), which may be lines apart,
// looks like a stage direction. An unclosed ( is a plain character.
func (w *writer) paintDirections(look lipgloss.Style, from, to int) string {
	var b strings.Builder
	for from < to {
		end, style := to, look
		if w.directionEnd > from {
			end, style = min(w.directionEnd, to), w.st.Aside
		} else if opens, closes := w.findDirection(from, to); opens == from {
			w.directionEnd = closes
			continue
		} else if opens > from {
			end = opens
		}
		b.WriteString(paintText(style, string(util.UnescapePunctuations(w.src[from:end]))))
		from = end
	}
	return b.String()
}

// findDirection returns the bounds of the next stage direction in a piece, or -1.
func (w *writer) findDirection(from, to int) (opens, closes int) {
	opens = bytes.IndexByte(w.src[from:to], '(')
	if opens < 0 || w.blockEnd < to {
		return -1, -1
	}
	opens += from
	closes = bytes.IndexByte(w.src[opens:w.blockEnd], ')')
	if closes < 0 {
		return -1, -1
	}
	return opens, opens + closes + 1
}

package views

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/parley-npc/parley/tui/terminal"
)

// Limits for formatted text, because hostile text could take long to format.
const (
	MaxMarkdown = 32 << 10 // bytes
	maxNesting  = 8
)

// markdownRenderer keeps one parser, because its creation takes longer than parsing.
type markdownRenderer struct {
	st     *Styles
	reader parser.Parser
}

func newMarkdownRenderer(st *Styles) *markdownRenderer {
	return &markdownRenderer{st, goldmark.DefaultParser()}
}

// RenderLines renders clean text as lines of at most width cells. Paragraphs, emphasis, code,
// lists, quotes and headings are formatted. Line ends inside a paragraph are kept.
func (r *markdownRenderer) RenderLines(src string, width int) []string {
	if len(src) > MaxMarkdown {
		return terminal.WrapText(src, width)
	}
	w := &writer{st: r.st, src: []byte(src)}
	w.writeChildren(r.reader.Parse(text.NewReader(w.src)), width)
	if len(w.lines) == 0 {
		return []string{""}
	}
	return w.lines
}

type writer struct {
	st    *Styles
	src   []byte
	lines []string
	depth int
	// Offsets in src of the ends of the paragraph and the stage direction.
	blockEnd, directionEnd int
}

func (w *writer) writeChildren(n ast.Node, width int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.PreviousSibling() != nil && !isTight(c) {
			w.lines = append(w.lines, "")
		}
		w.writeBlock(c, width)
	}
}

func isTight(n ast.Node) bool {
	if list, ok := n.Parent().(*ast.List); ok && list.IsTight {
		return true
	}
	return n.Kind() == ast.KindList && n.Parent().Kind() == ast.KindListItem
}

func (w *writer) writeBlock(n ast.Node, width int) {
	switch n := n.(type) {
	case *ast.List:
		w.writeList(n, width)
	case *ast.Blockquote:
		w.writeNested(n, w.st.Faint.Render("│")+" ", w.st.Faint.Render("│")+" ", width)
	case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
		w.writeVerbatim(n, width)
	case *ast.ThematicBreak:
		w.lines = append(w.lines, w.st.Faint.Render(strings.Repeat("─", min(width, 20))))
	case *ast.Heading:
		w.writeText(w.st.Title.Render(w.renderInline(n, w.st.Text)), width)
	default:
		w.directionEnd, w.blockEnd = 0, 0
		if lines := n.Lines(); lines.Len() > 0 {
			w.blockEnd = lines.At(lines.Len() - 1).Stop
		}
		w.writeText(w.renderInline(n, w.st.Text), width)
	}
}

func (w *writer) writeText(s string, width int) {
	w.lines = append(w.lines, terminal.WrapText(s, width)...)
}

func (w *writer) writeList(list *ast.List, width int) {
	number := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if list.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		if item.PreviousSibling() != nil && !list.IsTight {
			w.lines = append(w.lines, "")
		}
		w.writeNested(item, mark, strings.Repeat(" ", lipgloss.Width(mark)), width)
	}
}

func (w *writer) writeNested(n ast.Node, mark, margin string, width int) {
	if w.depth >= maxNesting {
		w.writeChildren(n, width)
		return
	}
	inner := &writer{st: w.st, src: w.src, depth: w.depth + 1}
	inner.writeChildren(n, max(width-lipgloss.Width(mark), 8))
	if len(inner.lines) == 0 {
		inner.lines = []string{""}
	}
	for i, line := range inner.lines {
		if i > 0 {
			mark = margin
		}
		w.lines = append(w.lines, mark+line)
	}
}

func (w *writer) writeVerbatim(n ast.Node, width int) {
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		for _, part := range terminal.WrapText(strings.TrimRight(string(line.Value(w.src)), "\n"), width) {
			w.lines = append(w.lines, w.st.Code.Render(part))
		}
	}
}

func (w *writer) renderInline(n ast.Node, look lipgloss.Style) string {
	var b strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *ast.Text:
			b.WriteString(w.paintDirections(look, child.Segment.Start, child.Segment.Stop))
			if child.SoftLineBreak() || child.HardLineBreak() {
				b.WriteByte('\n')
			}
		case *ast.Emphasis:
			style := w.st.Aside
			if child.Level >= 2 {
				style = look.Bold(true)
			}
			b.WriteString(w.renderInline(child, style))
		case *ast.CodeSpan:
			b.WriteString(paintText(w.st.Code, w.codeText(child)))
		case *ast.Link:
			destination := terminal.Clean(" (" + string(child.Destination) + ")")
			b.WriteString(w.renderInline(child, look) + paintText(w.st.Faint, destination))
		case *ast.AutoLink:
			b.WriteString(paintText(look, string(child.URL(w.src))))
		case *ast.RawHTML:
			for i := range child.Segments.Len() {
				segment := child.Segments.At(i)
				b.WriteString(paintText(look, string(segment.Value(w.src))))
			}
		default:
			b.WriteString(w.renderInline(child, look))
		}
	}
	return b.String()
}

// codeText keeps backslashes.
func (w *writer) codeText(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(w.src))
		}
	}
	return b.String()
}

func paintText(style lipgloss.Style, s string) string {
	if s == "" {
		return ""
	}
	return style.Inline(true).Render(s)
}

func (w *writer) paintDirections(style lipgloss.Style, from, to int) string {
	var b strings.Builder
	for from < to {
		end, style := to, style
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

//go:build !windows

package chat_test

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The picture's measures, in its own units: a cell and the margin of the screen.
const (
	cellWidth  = 8.4
	cellHeight = 18
	frameEdge  = 16
)

// look is how characters of a screen are drawn.
type look struct {
	paper
	fill              string
	bold, italic      bool
	faint, underlined bool
	reversed          bool
}

// paper is the background of a terminal, and its default text colour.
type paper struct{ ink, ground string }

// choosePaper returns the paper of a picture's terminal.
func choosePaper(p picture) paper {
	if p.look == lightTerminal {
		return paper{"#24272e", "#fafaf7"}
	}
	return paper{"#d7dae0", "#16181d"}
}

// sixteenInks are the sixteen colours of common terminals.
var sixteenInks = []string{
	"#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
	"#7f7f7f", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff",
}

// drawScreen draws a terminal screen as SVG: one element for each run of one look, with forced widths.
func drawScreen(screen string, p picture) string {
	var b strings.Builder
	w, h, on := float64(p.width)*cellWidth+2*frameEdge, p.height*cellHeight+2*frameEdge, choosePaper(p)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" role="img" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="%s" xml:space="preserve">`+"\n", w, h, on.ink)
	fmt.Fprintf(&b, "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" rx=\"10\" fill=\"%s\"/>\n", html.EscapeString(p.title()), on.ground)
	now := look{paper: on}
	for row, line := range strings.Split(screen, "\n") {
		now = drawLine(&b, line, row, now)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawLine draws a line and returns the look at its end, with which the next line begins.
func drawLine(b *strings.Builder, line string, row int, now look) look {
	column := 0
	for line != "" {
		if codes, rest, ok := cutSGR(line); ok {
			now, line = now.after(codes), rest
			continue
		}
		end := strings.IndexByte(line, 0x1b)
		if end < 0 {
			end = len(line)
		}
		end = max(end, 1)
		drawRun(b, line[:end], column, row, now)
		column, line = column+ansi.StringWidth(line[:end]), line[end:]
	}
	return now
}

// cutSGR takes a sequence that changes the look from the beginning of a line.
func cutSGR(line string) (codes []string, rest string, ok bool) {
	after, is := strings.CutPrefix(line, "\x1b[")
	if !is {
		return nil, line, false
	}
	params, rest, found := strings.Cut(after, "m")
	if !found || strings.Trim(params, "0123456789;") != "" {
		return nil, line, false
	}
	return strings.Split(params, ";"), rest, true
}

// after is the look that SGR parameters make of one.
func (l look) after(codes []string) look {
	for i := 0; i < len(codes); i++ {
		n, _ := strconv.Atoi(codes[i])
		switch {
		case n == 0:
			l = look{paper: l.paper}
		case n == 1:
			l.bold = true
		case n == 2:
			l.faint = true
		case n == 22:
			l.bold, l.faint = false, false
		case n == 3, n == 23:
			l.italic = n == 3
		case n == 4, n == 24:
			l.underlined = n == 4
		case n == 7, n == 27:
			l.reversed = n == 7
		case n == 39:
			l.fill = ""
		case n >= 30 && n <= 37:
			l.fill = sixteenInks[n-30]
		case n >= 90 && n <= 97:
			l.fill = sixteenInks[n-90+8]
		case (n == 38 || n == 48) && i+4 < len(codes) && codes[i+1] == "2":
			if n == 38 {
				l.fill = "#" + hexOf(codes[i+2]) + hexOf(codes[i+3]) + hexOf(codes[i+4])
			}
			i += 4
		}
	}
	return l
}

func hexOf(decimal string) string {
	n, _ := strconv.Atoi(decimal)
	return fmt.Sprintf("%02x", n)
}

// drawRun draws a text, and the parts around several spaces separately, because renderers collapse them.
func drawRun(b *strings.Builder, text string, column, row int, l look) {
	for text != "" {
		rest := text
		if !l.reversed && !l.underlined { // There spaces are seen.
			rest = strings.TrimLeft(text, " ")
		}
		column += len(text) - len(rest)
		word, _, _ := strings.Cut(rest, "  ")
		if word == "" && rest != "" {
			word = rest[:1]
		}
		l.draw(b, word, column, row)
		column, text = column+ansi.StringWidth(word), rest[len(word):]
	}
}

// bars are vertical lines, which as letters would have gaps between the rows: where
// in the cell they begin, and how wide they are.
var bars = map[string][2]float64{"│": {3.7, 1}, "▎": {0, 2.1}}

func (l look) draw(b *strings.Builder, text string, column, row int) {
	if !l.reversed && !l.underlined {
		text = strings.TrimRight(text, " ")
	}
	if text == "" {
		return
	}
	x, wide := frameEdge+float64(column)*cellWidth, float64(ansi.StringWidth(text))*cellWidth
	fill, extra := l.fill, ""
	if fill == "" {
		fill = l.ink
	}
	if bar, is := bars[text]; is && !l.reversed {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", x+bar[0], frameEdge+row*cellHeight, bar[1], cellHeight, fill)
		return
	}
	if l.reversed {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", x, frameEdge+row*cellHeight, wide, cellHeight, fill)
		fill = l.ground
	}
	if l.bold {
		extra += ` font-weight="bold"`
	}
	if l.italic {
		extra += ` font-style="italic"`
	}
	if l.faint {
		extra += ` opacity="0.65"`
	}
	if l.underlined {
		extra += ` text-decoration="underline"`
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`+"\n",
		x, frameEdge+row*cellHeight+14, wide, fill, extra, html.EscapeString(text))
}

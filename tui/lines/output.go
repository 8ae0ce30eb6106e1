package lines

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/tui/terminal"
)

func (p *player) talkToPerson(format string, args ...any) {
	if p.opts.Interactive {
		p.writeTalk(format, args...)
	}
}

func (p *player) hint(format string, args ...any) {
	if p.opts.Interactive || p.opts.Hints {
		p.writeTalk(format, args...)
	}
}

func (p *player) writeTalk(format string, args ...any) {
	fmt.Fprintln(p.opts.Err, p.wrapLines(fmt.Sprintf(format, args...)))
}

func (p *player) writePlay(format string, args ...any) {
	fmt.Fprintln(p.opts.Out, p.wrapLines(fmt.Sprintf(format, args...)))
}

func (p *player) wrapLines(text string) string {
	if p.opts.Columns == nil {
		return text
	}
	width := p.opts.Columns()
	if width <= 0 {
		return text
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, wrapLine(line, width)...)
	}
	return strings.Join(lines, "\n")
}

func wrapLine(line string, width int) []string {
	const indent = "  "
	body := strings.TrimLeft(line, " ")
	margin := line[:len(line)-len(body)]
	wrapped := terminal.WrapText(body, max(width-len(margin)-len(indent), 16))
	for i := range wrapped {
		if i == 0 {
			wrapped[i] = margin + wrapped[i]
			continue
		}
		wrapped[i] = margin + indent + wrapped[i]
	}
	return wrapped
}

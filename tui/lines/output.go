package lines

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/tui/terminal"
)

type output struct{ opts Options }

func (o *output) talkToPerson(format string, args ...any) {
	if o.opts.Interactive {
		o.writeTalk(format, args...)
	}
}

func (o *output) hint(format string, args ...any) {
	if o.opts.Interactive || o.opts.Hints {
		o.writeTalk(format, args...)
	}
}

func (o *output) writeTalk(format string, args ...any) {
	fmt.Fprintln(o.opts.Err, o.wrapLines(fmt.Sprintf(format, args...)))
}

func (o *output) writePlay(format string, args ...any) {
	fmt.Fprintln(o.opts.Out, o.wrapLines(fmt.Sprintf(format, args...)))
}

func (o *output) wrapLines(text string) string {
	if o.opts.Columns == nil {
		return text
	}
	width := o.opts.Columns()
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

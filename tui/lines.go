package tui

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
)

// typed is one line of a player. tooLong stands for a line over the service's
// limit, whose text is not kept; err ends the lines.
type typed struct {
	text    string
	tooLong bool
	err     error
}

// maxLineBytes is how much of a line is kept: the longest message that the
// service takes, in the widest encoding.
const maxLineBytes = 4 * wire.MaxMessage

// readLines reads lines until the end of the input or of ctx. A Read that
// blocks cannot be interrupted; it is left behind when ctx ends.
func readLines(ctx context.Context, in io.Reader) <-chan typed {
	lines := make(chan typed)
	go func() {
		defer close(lines)
		r := bufio.NewReader(in)
		for first := true; ; first = false {
			line := nextLine(r)
			if first {
				line.text = strings.TrimPrefix(line.text, "\ufeff")
			}
			select {
			case lines <- line:
			case <-ctx.Done():
				return
			}
			if line.err != nil {
				return
			}
		}
	}()
	return lines
}

// nextLine reads one line in bounded memory. A last line without a line end
// counts; its error comes with the next call.
func nextLine(r *bufio.Reader) typed {
	var kept []byte
	over := false
	for {
		part, err := r.ReadSlice('\n')
		if len(kept)+len(part) <= maxLineBytes+2 {
			kept = append(kept, part...)
		} else {
			over = true
		}
		switch {
		case err == nil:
			return lineOf(kept, over)
		case errors.Is(err, bufio.ErrBufferFull):
		case len(kept) > 0 || over:
			return lineOf(kept, over)
		default:
			return typed{err: err}
		}
	}
}

func lineOf(kept []byte, over bool) typed {
	text := strings.TrimRight(strings.ToValidUTF8(string(kept), "\uFFFD"), "\r\n")
	if over || characters(text) > wire.MaxMessage {
		return typed{tooLong: true}
	}
	return typed{text: text}
}

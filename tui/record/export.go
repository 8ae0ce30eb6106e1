package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// Files contains the functions that a chat uses to write files. If a function is nil, the chat
// reports that it writes no files.
type Files struct {
	// Save writes a new file, and returns its name. If the file exists, the error is fs.ErrExist.
	Save func(file string, content []byte) (name string, err error)
	// SavePlay writes the conversation as a play file (docs/play-file.md), and returns sentences
	// for the player about the file. If the file exists, the error is fs.ErrExist.
	SavePlay func(ctx context.Context, r *Record, file string) (said []string, err error)
}

// ExportRecord writes the conversation to a file, and returns sentences for the player about the
// file. arg is "[FORMAT] [FILE]".
func ExportRecord(ctx context.Context, d *conversation.Requester, user *conversation.UserSession, files Files, day time.Time, arg string) ([]string, error) {
	f, file, err := exportArgs(arg)
	if err != nil {
		return nil, err
	}
	if files.Save == nil {
		return nil, errNoFiles
	}
	r, err := readPlayed(ctx, d, user)
	if err != nil {
		return nil, err
	}
	var content bytes.Buffer
	if err := f.Write(r, &content); err != nil {
		return nil, err
	}
	name, err := saveUnderFreeName(file, r.FileName(day.Format("2006-01-02"), f.Name), func(file string) (string, error) { return files.Save(file, content.Bytes()) })
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("Written to %s, %d messages.", name, r.Messages())}, nil
}

var errNoFiles = errors.New("this chat writes no files")

// exportArgs parses "[FORMAT] [FILE]". If the format is omitted, it follows from the file's
// extension. If both are omitted, the format is Markdown.
func exportArgs(arg string) (Format, string, error) {
	name, file, _ := strings.Cut(arg, " ")
	if f, ok := FormatNamed(name); ok || arg == "" {
		if arg == "" {
			f, _ = FormatNamed("md")
		}
		return f, strings.TrimSpace(file), nil
	}
	if f, ok := FormatNamed(strings.TrimPrefix(filepath.Ext(arg), ".")); ok {
		return f, arg, nil
	}
	return Format{}, "", conversation.Slip(fmt.Sprintf("%q is not a format: write md, json or html, then the file", terminal.Clean(arg)))
}

// SavePlay writes the conversation as a play file, and returns sentences for the player about the
// file.
func SavePlay(ctx context.Context, d *conversation.Requester, user *conversation.UserSession, files Files, file string) ([]string, error) {
	if files.SavePlay == nil {
		return nil, errNoFiles
	}
	r, err := readPlayed(ctx, d, user)
	if err != nil {
		return nil, err
	}
	var said []string
	_, err = saveUnderFreeName(file, r.FileName("", "play.yaml"), func(file string) (string, error) {
		said, err = files.SavePlay(ctx, r, file)
		return file, err
	})
	return said, err
}

const maxNumbered = 100

// saveUnderFreeName calls save with the name given. If given is "", it tries the name usual, for
// example cat.md, and then cat-2.md, cat-3.md and so on, until it finds a name without a file.
func saveUnderFreeName(given, usual string, save func(file string) (string, error)) (string, error) {
	if given != "" {
		name, err := save(given)
		if errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("%s exists: use another name", terminal.Clean(given))
		}
		return name, err
	}
	stem, ending, _ := strings.Cut(usual, ".")
	for n := 1; ; n++ {
		file := usual
		if n > 1 {
			file = fmt.Sprintf("%s-%d.%s", stem, n, ending)
		}
		name, err := save(file)
		if n == maxNumbered || !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// FileName returns a name for a file with the record. It consists of the persona's name (FileSlug),
// the suffix and the extension.
func (r *Record) FileName(suffix, extension string) string {
	name := FileSlug(r.PersonaName)
	if suffix != "" {
		name += "-" + suffix
	}
	return name + "." + extension
}

// FileSlug converts a name to lower-case letters, digits and dashes. The result is a valid file
// name on every system.
func FileSlug(name string) string {
	const most = 40
	var b strings.Builder
	dash, n := false, 0
	for _, r := range strings.ToLower(name) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			dash = n > 0
			continue
		}
		if n++; n > most {
			break
		}
		if dash {
			b.WriteByte('-')
		}
		dash = false
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return "conversation"
	}
	return b.String()
}

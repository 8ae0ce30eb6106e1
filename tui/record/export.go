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

// Files are the files that a chat may write on the player's machine. The chat reports a nil
// function as unsupported.
type Files struct {
	// Save writes a new file, and returns its name. If it exists, the error is fs.ErrExist.
	Save func(file string, content []byte) (name string, err error)
	// SavePlay writes a play file (docs/play-file.md) of the conversation, and returns sentences
	// about it. If the file exists, the error is fs.ErrExist.
	SavePlay func(ctx context.Context, r *Record, file string) (said []string, err error)
}

// ExportRecord writes the conversation to the file and in the format that arg names, and returns
// sentences about it. Both modes use it.
func ExportRecord(ctx context.Context, d *conversation.Requester, v *conversation.UserSession, files Files, day time.Time, arg string) ([]string, error) {
	f, file, err := exportArgs(arg)
	if err != nil {
		return nil, err
	}
	if files.Save == nil {
		return nil, errNoFiles
	}
	r, err := readPlayed(ctx, d, v)
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

var (
	ErrNoFormat = errors.New("says no format: write md, json or html, then the file")
	errNoFiles  = errors.New("this chat writes no files")
)

// exportArgs reads "[FORMAT] [FILE]": without a format the file's ending says it,
// and without both it is Markdown.
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
	return Format{}, "", fmt.Errorf("%q %w", terminal.Clean(arg), ErrNoFormat)
}

// SavePlay writes the conversation as a play file, and returns sentences about it. Both modes use
// it.
func SavePlay(ctx context.Context, d *conversation.Requester, v *conversation.UserSession, files Files, file string) ([]string, error) {
	if files.SavePlay == nil {
		return nil, errNoFiles
	}
	r, err := readPlayed(ctx, d, v)
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

// maxNumbered is how many names are tried for a file that nobody named.
const maxNumbered = 100

// saveUnderFreeName saves under the given name, or else under the first free name: cat.md,
// cat-2.md, cat-3.md.
func saveUnderFreeName(given, usual string, save func(file string) (string, error)) (string, error) {
	if given != "" {
		name, err := save(given)
		if errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("%s is there already: give another name", terminal.Clean(given))
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

// FileName is a name for a file of the record: the persona's in letters, digits
// and dashes, then what is added, then the ending.
func (r *Record) FileName(added, ending string) string {
	name := FileSlug(r.PersonaName)
	if added != "" {
		name += "-" + added
	}
	return name + "." + ending
}

// FileSlug makes a name for files on every system of a text.
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

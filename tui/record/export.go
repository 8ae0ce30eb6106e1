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

// Files contains the functions for writing files. Each function may be nil.
type Files struct {
	// Save writes a new file and returns its name. The error for an existing file is fs.ErrExist.
	Save func(file string, content []byte) (name string, err error)
	// SavePlay writes a play file and returns sentences, or fs.ErrExist for an existing file.
	SavePlay func(ctx context.Context, r *Record, file string) (sentences []string, err error)
}

// ExportRecord writes the conversation to a file. arg is "[FORMAT] [FILE]".
func ExportRecord(
	ctx context.Context, d *conversation.Requester, user *conversation.UserSession, files Files, day time.Time, arg string,
) ([]string, error) {
	f, file, err := parseExportArgs(arg)
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
	defaultName := r.FileName(day.Format("2006-01-02"), f.Name)
	name, err := saveUnderFreeName(file, defaultName, func(file string) (string, error) {
		return files.Save(file, content.Bytes())
	})
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("Written to %s, %d messages.", name, r.Messages())}, nil
}

var errNoFiles = errors.New("this chat writes no files")

func parseExportArgs(arg string) (Format, string, error) {
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
	problem := fmt.Sprintf("%q is not a format: write md, json or html, then the file", terminal.Clean(arg))
	return Format{}, "", conversation.Slip(problem)
}

// SavePlay writes the conversation as a play file and returns sentences for the player.
func SavePlay(
	ctx context.Context, d *conversation.Requester, user *conversation.UserSession, files Files, file string,
) ([]string, error) {
	if files.SavePlay == nil {
		return nil, errNoFiles
	}
	r, err := readPlayed(ctx, d, user)
	if err != nil {
		return nil, err
	}
	var sentences []string
	_, err = saveUnderFreeName(file, r.FileName("", "play.yaml"), func(file string) (string, error) {
		sentences, err = files.SavePlay(ctx, r, file)
		return file, err
	})
	return sentences, err
}

const maxNumbered = 100

func saveUnderFreeName(given, defaultName string, save func(file string) (string, error)) (string, error) {
	if given != "" {
		name, err := save(given)
		if errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("%s exists: use another name", terminal.Clean(given))
		}
		return name, err
	}
	stem, ending, _ := strings.Cut(defaultName, ".")
	for n := 1; ; n++ {
		file := defaultName
		if n > 1 {
			file = fmt.Sprintf("%s-%d.%s", stem, n, ending)
		}
		name, err := save(file)
		if n == maxNumbered || !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// FileName returns a file name made of the persona's name, suffix and extension.
func (r *Record) FileName(suffix, extension string) string {
	name := FileSlug(r.PersonaName)
	if suffix != "" {
		name += "-" + suffix
	}
	return name + "." + extension
}

// FileSlug converts a name to a file name of lower-case letters, digits and dashes.
func FileSlug(name string) string {
	const maxRunes = 40
	var b strings.Builder
	needsDash, n := false, 0
	for _, r := range strings.ToLower(name) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			needsDash = n > 0
			continue
		}
		n++
		if n > maxRunes {
			break
		}
		if needsDash {
			b.WriteByte('-')
		}
		needsDash = false
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return "conversation"
	}
	return b.String()
}

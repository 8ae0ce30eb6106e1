package tui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
)

// savedMsg: a file was written, said in sentences, or could not be.
type savedMsg struct {
	said []string
	err  error
}

// reportSaved says what was written, or why not.
func (a *actions) reportSaved(msg savedMsg) {
	if msg.err != nil {
		a.trouble = "not saved: " + a.requester.explainError(msg.err)
		return
	}
	for i := range msg.said {
		msg.said[i] = Clean(msg.said[i])
	}
	a.tellPlayer(strings.Join(msg.said, "\n"))
}

// CompleteFormat are the formats as arguments of a command.
func (c *completer) CompleteFormat() []Completion {
	var list []Completion
	for _, f := range Formats() {
		list = append(list, Completion{Text: f.Name, About: f.About, Whole: true})
	}
	return list
}

// ExportRecord writes what was said into a file.
func (a *actions) ExportRecord(arg string) tea.Cmd {
	v := a.user
	return func() tea.Msg {
		said, err := a.requester.exportRecord(a.ctx, v, a.opts, arg)
		return savedMsg{said, err}
	}
}

// exportRecord writes what was said into the file and in the format that arg names,
// and says so in sentences. Both modes stand on it.
func (d *requester) exportRecord(ctx context.Context, v *userSession, o Options, arg string) ([]string, error) {
	f, file, err := exportArgs(arg)
	if err != nil {
		return nil, err
	}
	if o.Tools.Save == nil {
		return nil, errNoFiles
	}
	r, err := d.readRecord(ctx, v)
	if err != nil {
		return nil, err
	}
	content, err := f.Write(r)
	if err != nil {
		return nil, err
	}
	name, err := saveUnderFreeName(file, r.FileName(o.Now().Format("2006-01-02"), f.Name), func(file string) (string, error) { return o.Tools.Save(file, content) })
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("Written to %s, %d messages.", name, r.Messages())}, nil
}

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
	return Format{}, "", fmt.Errorf("%q %w", Clean(arg), errNoFormat)
}

// SavePlay saves what was played for rehearsals.
func (a *actions) SavePlay(file string) tea.Cmd {
	v := a.user
	return func() tea.Msg {
		said, err := a.requester.savePlay(a.ctx, v, a.opts, file)
		return savedMsg{said, err}
	}
}

// savePlay writes what was played as a play file, and says so in sentences. Both
// modes stand on it.
func (d *requester) savePlay(ctx context.Context, v *userSession, o Options, file string) ([]string, error) {
	if o.Tools.SavePlay == nil {
		return nil, errNoFiles
	}
	r, err := d.readRecord(ctx, v)
	if err != nil {
		return nil, err
	}
	var said []string
	_, err = saveUnderFreeName(file, r.FileName("", "play.yaml"), func(file string) (string, error) {
		said, err = o.Tools.SavePlay(ctx, r, file)
		return file, err
	})
	return said, err
}

// maxNumbered is how many names are tried for a file that nobody named.
const maxNumbered = 100

// saveUnderFreeName saves under the given name, or where none is given under the first one
// of a kind that is free: cat.md, cat-2.md, cat-3.md.
func saveUnderFreeName(given, usual string, save func(file string) (string, error)) (string, error) {
	if given != "" {
		name, err := save(given)
		if errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("%s is there already: give another name", Clean(given))
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
	name := fileSlug(r.PersonaName)
	if added != "" {
		name += "-" + added
	}
	return name + "." + ending
}

// fileSlug is a name for files on every system.
func fileSlug(name string) string {
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

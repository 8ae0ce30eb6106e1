package record

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// Format is a file format of records.
type Format struct {
	Name string // also the file extension
	// Write writes the whole file. The file ends with a line feed.
	Write func(*Record, io.Writer) error
}

// Formats returns the file formats.
func Formats() []Format {
	return []Format{
		{"md", (*Record).writeMarkdown},
		{"json", (*Record).writeJSON},
		{"html", (*Record).writeHTML},
	}
}

// FormatNamed returns the format with the given name or file extension.
func FormatNamed(name string) (Format, bool) {
	name = strings.ToLower(name)
	switch name {
	case "markdown":
		name = "md"
	case "htm":
		name = "html"
	}
	for _, f := range Formats() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// writeMarkdown escapes all markup in the player's text, but only raw HTML in replies.
func (r *Record) writeMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s\n", asTyped(r.speakerName(wire.RoleAssistant)))
	if about := terminal.Clean(r.Description); about != "" {
		fmt.Fprintf(b, "\n%s\n", asTyped(about))
	}
	fmt.Fprintf(b, "\n%s\n", asTyped(r.bylineWords()))
	for i := range r.Chapters {
		ch := &r.Chapters[i]
		fmt.Fprintf(b, "\n## %s\n", asTyped(ch.Title))
		for _, t := range r.Tell(ch) {
			words := withoutHTML(t.Text)
			if t.Player {
				words = asTyped(t.Text)
			}
			fmt.Fprintf(b, "\n**%s:**\n\n%s\n", asTyped(t.Name), words)
			for _, note := range t.Notes {
				fmt.Fprintf(b, "\n*%s*\n", asTyped(note))
			}
		}
	}
	return b.Flush()
}

func asTyped(plain string) string {
	lines := strings.Split(plain, "\n")
	for i, line := range lines {
		lines[i] = escapeLine(line)
	}
	return strings.ReplaceAll(strings.Join(lines, "  \n"), "\n  \n", "\n\n")
}

func escapeLine(line string) string {
	line = strings.TrimSpace(line)
	var b strings.Builder
	for i, r := range line {
		first := i == 0 && strings.ContainsRune("#+-=~|", r)
		numbered := (r == '.' || r == ')') && i > 0 && strings.Trim(line[:i], "0123456789") == ""
		if first || numbered || strings.ContainsRune("\\`*_[]<>&~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

var htmlTagStart = plaintext.Pattern(`<([A-Za-z/!?])`)

func withoutHTML(src string) string { return htmlTagStart().ReplaceAllString(src, "&lt;$1") }

// recordJSON omits the user_session_id, because the id may be secret.
type recordJSON struct {
	PersonaID    string        `json:"persona_id"`
	PersonaName  string        `json:"persona_name"`
	Description  string        `json:"persona_description"`
	PlayerName   string        `json:"player_name"`
	PlayerGender string        `json:"player_gender"`
	Machines     []chapterJSON `json:"machines"`
}

type chapterJSON struct {
	MachineID     string                `json:"machine_id"`
	MachineKey    string                `json:"machine_key"`
	MachineName   string                `json:"machine_name"`
	SessionID     string                `json:"session_id"`
	CurrentState  string                `json:"current_state"`
	Score         int                   `json:"score"`
	Outcome       *string               `json:"outcome"`
	StartedAt     wire.Time             `json:"started_at"`
	LastMessageAt wire.Time             `json:"last_message_at"`
	Messages      []wire.HistoryMessage `json:"messages"`
}

func (r *Record) writeJSON(w io.Writer) error {
	out := recordJSON{
		PersonaID: r.PersonaID, PersonaName: r.PersonaName, Description: r.Description,
		PlayerName: r.PlayerName, PlayerGender: r.PlayerGender,
	}
	for i := range r.Chapters {
		ch := &r.Chapters[i]
		messages := append([]wire.HistoryMessage{}, ch.Messages...)
		out.Machines = append(out.Machines, chapterJSON{
			ch.MachineID, ch.MachineKey, ch.Title, ch.SessionID, ch.CurrentState, ch.Score, ch.Outcome,
			ch.StartedAt, ch.LastMessageAt, messages,
		})
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(out); err != nil {
		return fmt.Errorf("writing the conversation as JSON: %w", err)
	}
	_, err := io.WriteString(w, escapeControls(b.String()))
	return err
}

func escapeControls(encoded string) string {
	var b strings.Builder
	for _, c := range encoded {
		if terminal.IsObeyed(c) && c != '\n' {
			for _, unit := range utf16.Encode([]rune{c}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

package transcript

import (
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/markdown"
	"github.com/parley-npc/parley/tui/styles"
	"github.com/parley-npc/parley/tui/terminal"
)

// EntryKind sorts what stands in a transcript.
type EntryKind uint8

const (
	CharacterTurn EntryKind = iota
	PlayerTurn
	noteEntry    // what changed, or a word of the program itself
	ChapterEntry // a machine begins
	unkeptTurn   // what was heard of a reply that broke off
)

// Tone is how a note sounds. An entry keeps it instead of a look, so that it
// stays small and follows when the theme changes.
type Tone uint8

const (
	ToneNews Tone = iota
	ToneGood
	ToneBad
)

// Entry is one piece of a transcript; its texts are clean.
type Entry struct {
	Kind EntryKind
	tone Tone
	// turns counts the turns up to this entry, with it.
	turns int32
	Name  string
	Text  string
}

func (e *Entry) isTurn() bool { return e.Kind == CharacterTurn || e.Kind == PlayerTurn }

// View is the conversation with a window on it. It measures and wraps only
// what the window shows and keeps the lines of what it showed lately, so neither
// its cost nor its memory grows with what has been read.
type View struct {
	st       *styles.Set
	markdown *markdown.Renderer
	Entries  []Entry
	lines    map[int][]string // by entry, at the present width
	width    int
	height   int
	// Follow keeps the window at the end; else it begins at line from.line of
	// entry from.entry.
	Follow bool
	from   spot
	// Streaming is the number, from 1, of the entry whose words are still coming; 0
	// when none is. grown is what is settled of its lines.
	Streaming int
	settled   settledPart
	unkept    int // how many entries are of unkeptTurn
}

type spot struct{ entry, line int }

// NewView is empty and follows its end.
func NewView(st *styles.Set) *View {
	return &View{st: st, markdown: markdown.NewRenderer(st), lines: map[int][]string{}, Follow: true}
}

// AddEntry puts an entry at the end.
func (t *View) AddEntry(e Entry) {
	t.Entries = append(t.Entries, e)
	t.countTurns(len(t.Entries) - 1)
}

// countTurns numbers the turns from an entry on.
func (t *View) countTurns(from int) {
	turns := int32(0)
	if from > 0 {
		turns = t.Entries[from-1].turns
	}
	for i := from; i < len(t.Entries); i++ {
		if t.Entries[i].isTurn() {
			turns++
		}
		t.Entries[i].turns = turns
	}
}

// AddNote puts a note at the end, one line of it for each line of text.
func (t *View) AddNote(text string, sound Tone) {
	t.AddEntry(Entry{Kind: noteEntry, Text: text, tone: sound})
}

// BeginEntry adds an entry that grows with append until end or BreakOff.
func (t *View) BeginEntry(e Entry) {
	t.AddEntry(e)
	t.Streaming, t.settled = len(t.Entries), settledPart{}
}

// AppendWords adds clean words to the growing entry. A window that does not follow
// stays where it is.
func (t *View) AppendWords(delta string) {
	if t.Streaming == 0 {
		return
	}
	e := &t.Entries[t.Streaming-1]
	if e.Text == "" {
		delta = strings.TrimLeft(delta, " \n")
	}
	e.Text += delta
	delete(t.lines, t.Streaming-1)
}

// EndEntry gives the growing entry its whole text, which may differ from what came.
func (t *View) EndEntry(text string) {
	at := t.Streaming - 1
	t.Streaming, t.settled = 0, settledPart{}
	t.Entries[at].Text = text
	delete(t.lines, at)
}

// BreakOff keeps what came of the growing entry in sight, as words that the
// service has not kept; where nothing came there is nothing to see.
func (t *View) BreakOff() {
	at := t.Streaming - 1
	t.Streaming, t.settled = 0, settledPart{}
	if at < 0 {
		return
	}
	if t.Entries[at].Text == "" {
		t.removeEntry(at)
		return
	}
	t.Entries[at].Kind = unkeptTurn
	t.unkept++
	t.countTurns(at)
	delete(t.lines, at)
}

// ForgetBroken takes away what broke off.
func (t *View) ForgetBroken() {
	for i := len(t.Entries) - 1; i >= 0 && t.unkept > 0; i-- {
		if t.Entries[i].Kind == unkeptTurn {
			t.removeEntry(i)
		}
	}
}

// DropLastTurn takes the newest turn of the player back, unless something but notes and
// broken words stands after it.
func (t *View) DropLastTurn() {
	for i := len(t.Entries) - 1; i >= 0; i-- {
		switch t.Entries[i].Kind {
		case PlayerTurn:
			t.removeEntry(i)
			return
		case noteEntry, unkeptTurn:
		default:
			return
		}
	}
}

// removeEntry takes an entry out; a window that stands further down stays on what it
// shows.
func (t *View) removeEntry(i int) {
	if t.Entries[i].Kind == unkeptTurn {
		t.unkept--
	}
	t.Entries = slices.Delete(t.Entries, i, i+1)
	t.countTurns(i)
	t.ForgetLines()
	if t.Streaming > i+1 {
		t.Streaming--
	}
	switch {
	case t.from.entry > i:
		t.from.entry--
	case t.from.entry == i:
		t.from.line = 0
	}
	t.followAtEnd()
}

// ClearEntries takes everything away.
func (t *View) ClearEntries() {
	t.Entries, t.Follow, t.from, t.Streaming, t.unkept = nil, true, spot{}, 0, 0
	t.ForgetLines()
}

// ForgetLines makes all lines anew when they are next shown.
func (t *View) ForgetLines() {
	clear(t.lines)
	t.settled = settledPart{}
}

// maxLines is for how many entries lines are kept: more than any window shows,
// and few enough to weigh nothing.
const maxLines = 512

// entryLines gives an entry's lines at the present width. They are not to be changed.
func (t *View) entryLines(i int) []string {
	if lines, ok := t.lines[i]; ok {
		return lines
	}
	if len(t.lines) >= maxLines {
		clear(t.lines)
	}
	lines := t.renderEntry(i)
	t.lines[i] = lines
	return lines
}

// renderEntry makes an entry's lines; what belongs together stands without a blank
// line between.
func (t *View) renderEntry(i int) []string {
	if t.Streaming == i+1 {
		return t.renderStreaming()
	}
	e := &t.Entries[i]
	lines := t.openingLines(i)
	switch e.Kind {
	case CharacterTurn:
		return t.indentLines(lines, t.speakerBar(), t.markdown.RenderLines(e.Text, t.textWidth()))
	case PlayerTurn:
		return t.indentLines(lines, "   ", terminal.WrapText(e.Text, t.textWidth()))
	case unkeptTurn:
		return t.indentLines(lines, " "+t.st.Faint.Render("┆")+" ", renderAll(t.st.Faint, terminal.WrapText(e.Text, t.textWidth())))
	case ChapterEntry:
		return append(lines, t.chapterLine(e.Text))
	}
	return t.noteLines(lines, e)
}

// openingLines is what stands above an entry's words: a blank line, where it does not
// go on with the notes before it, and the speaker's name.
func (t *View) openingLines(i int) []string {
	e := &t.Entries[i]
	lines := make([]string, 0, 4+len(e.Text)/max(t.width, 1))
	if i > 0 && (e.Kind != noteEntry || t.Entries[i-1].Kind != noteEntry) {
		lines = append(lines, "")
	}
	look, name := t.st.Faint, e.Name
	switch e.Kind {
	case CharacterTurn:
		look = t.st.Character
	case PlayerTurn:
		look = t.st.Player
	case unkeptTurn:
		name += ", broken off and not kept"
	default:
		return lines
	}
	return append(lines, " "+look.Render(terminal.CutToWidth(name, t.width-2)))
}

// speakerBar stands beside the character's words, so that they are told apart without
// colours too.
func (t *View) speakerBar() string { return " " + t.st.Character.Render("▎") + " " }

// The widest column of words: longer lines are hard to read on.
const WidestMeasure = 100

// textWidth is how wide words may be beside their margins.
func (t *View) textWidth() int { return min(t.width-4, WidestMeasure) }

func (t *View) indentLines(lines []string, margin string, said []string) []string {
	for _, line := range said {
		lines = append(lines, margin+line)
	}
	return lines
}

// chapterLine is a rule with a machine's name.
func (t *View) chapterLine(title string) string {
	label := " " + terminal.CutToWidth(title, t.width-8) + " "
	rest := max(t.width-4-ansi.StringWidth(label), 0)
	return " " + t.st.Rule.Render("──") + t.st.Faint.Render(label) + t.st.Rule.Render(strings.Repeat("─", rest))
}

func (t *View) noteLines(lines []string, e *Entry) []string {
	look := noteStyle(t.st, e.tone)
	for part := range strings.SplitSeq(e.Text, "\n") {
		for j, line := range terminal.WrapText(part, min(t.width-4, WidestMeasure)) {
			mark := "   "
			if j == 0 {
				mark = " · "
			}
			lines = append(lines, look.Render(mark+line))
		}
	}
	return lines
}

// renderAll renders lines in one look.
func renderAll(look lipgloss.Style, lines []string) []string {
	for i := range lines {
		lines[i] = look.Render(lines[i])
	}
	return lines
}

// noteStyle is the look of a note.
func noteStyle(st *styles.Set, t Tone) lipgloss.Style {
	switch t {
	case ToneGood:
		return st.Good
	case ToneBad:
		return st.Bad
	}
	return st.Note
}

package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
)

// entryKind sorts what stands in a transcript.
type entryKind uint8

const (
	characterTurn entryKind = iota
	playerTurn
	noteEntry    // what changed, or a word of the program itself
	chapterEntry // a machine begins
	unkeptTurn   // what was heard of a reply that broke off
)

// tone is how a note sounds. An entry keeps it instead of a look, so that it
// stays small and follows when the theme changes.
type tone uint8

const (
	toneNews tone = iota
	toneGood
	toneBad
)

// entry is one piece of a transcript; its texts are clean.
type entry struct {
	kind entryKind
	tone tone
	// turns counts the turns up to this entry, with it.
	turns int32
	name  string
	text  string
}

func (e *entry) isTurn() bool { return e.kind == characterTurn || e.kind == playerTurn }

// transcript is the conversation with a window on it. It measures and wraps only
// what the window shows and keeps the lines of what it showed lately, so neither
// its cost nor its memory grows with what has been read.
type transcript struct {
	st       *styles
	markdown *markdownRenderer
	entries  []entry
	lines    map[int][]string // by entry, at the present width
	width    int
	height   int
	// follow keeps the window at the end; else it begins at line from.line of
	// entry from.entry.
	follow bool
	from   spot
	// streaming is the number, from 1, of the entry whose words are still coming; 0
	// when none is. grown is what is settled of its lines.
	streaming int
	settled   settledPart
	unkept    int // how many entries are of unkeptTurn
}

type spot struct{ entry, line int }

func newTranscript(st *styles) *transcript {
	return &transcript{st: st, markdown: newMarkdownRenderer(st), lines: map[int][]string{}, follow: true}
}

func (t *transcript) addEntry(e entry) {
	t.entries = append(t.entries, e)
	t.countTurns(len(t.entries) - 1)
}

// countTurns numbers the turns from an entry on.
func (t *transcript) countTurns(from int) {
	turns := int32(0)
	if from > 0 {
		turns = t.entries[from-1].turns
	}
	for i := from; i < len(t.entries); i++ {
		if t.entries[i].isTurn() {
			turns++
		}
		t.entries[i].turns = turns
	}
}

func (t *transcript) addNote(text string, sound tone) {
	t.addEntry(entry{kind: noteEntry, text: text, tone: sound})
}

// beginEntry adds an entry that grows with append until end or stopQuestion.
func (t *transcript) beginEntry(e entry) {
	t.addEntry(e)
	t.streaming, t.settled = len(t.entries), settledPart{}
}

// appendWords adds clean words to the growing entry. A window that does not follow
// stays where it is.
func (t *transcript) appendWords(delta string) {
	if t.streaming == 0 {
		return
	}
	e := &t.entries[t.streaming-1]
	if e.text == "" {
		delta = strings.TrimLeft(delta, " \n")
	}
	e.text += delta
	delete(t.lines, t.streaming-1)
}

// endEntry gives the growing entry its whole text, which may differ from what came.
func (t *transcript) endEntry(text string) {
	at := t.streaming - 1
	t.streaming, t.settled = 0, settledPart{}
	t.entries[at].text = text
	delete(t.lines, at)
}

// stopQuestion keeps what came of the growing entry in sight, as words that the
// service has not kept; where nothing came there is nothing to see.
func (t *transcript) breakOff() {
	at := t.streaming - 1
	t.streaming, t.settled = 0, settledPart{}
	if at < 0 {
		return
	}
	if t.entries[at].text == "" {
		t.removeEntry(at)
		return
	}
	t.entries[at].kind = unkeptTurn
	t.unkept++
	t.countTurns(at)
	delete(t.lines, at)
}

// forgetBroken takes away what broke off.
func (t *transcript) forgetBroken() {
	for i := len(t.entries) - 1; i >= 0 && t.unkept > 0; i-- {
		if t.entries[i].kind == unkeptTurn {
			t.removeEntry(i)
		}
	}
}

// dropLastTurn takes the newest turn of the player back, unless something but notes and
// broken words stands after it.
func (t *transcript) dropLastTurn() {
	for i := len(t.entries) - 1; i >= 0; i-- {
		switch t.entries[i].kind {
		case playerTurn:
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
func (t *transcript) removeEntry(i int) {
	if t.entries[i].kind == unkeptTurn {
		t.unkept--
	}
	t.entries = slices.Delete(t.entries, i, i+1)
	t.countTurns(i)
	t.forgetLines()
	if t.streaming > i+1 {
		t.streaming--
	}
	switch {
	case t.from.entry > i:
		t.from.entry--
	case t.from.entry == i:
		t.from.line = 0
	}
	t.followAtEnd()
}

func (t *transcript) clearEntries() {
	t.entries, t.follow, t.from, t.streaming, t.unkept = nil, true, spot{}, 0, 0
	t.forgetLines()
}

// forgetLines makes all lines anew when they are next shown.
func (t *transcript) forgetLines() {
	clear(t.lines)
	t.settled = settledPart{}
}

// maxLines is for how many entries lines are kept: more than any window shows,
// and few enough to weigh nothing.
const maxLines = 512

// entryLines gives an entry's lines at the present width. They are not to be changed.
func (t *transcript) entryLines(i int) []string {
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
func (t *transcript) renderEntry(i int) []string {
	if t.streaming == i+1 {
		return t.renderStreaming()
	}
	e := &t.entries[i]
	lines := t.openingLines(i)
	switch e.kind {
	case characterTurn:
		return t.indentLines(lines, t.speakerBar(), t.markdown.renderMarkdown(e.text, t.textWidth()))
	case playerTurn:
		return t.indentLines(lines, "   ", wrapText(e.text, t.textWidth()))
	case unkeptTurn:
		return t.indentLines(lines, " "+t.st.faint.Render("┆")+" ", renderAll(t.st.faint, wrapText(e.text, t.textWidth())))
	case chapterEntry:
		return append(lines, t.chapterLine(e.text))
	}
	return t.noteLines(lines, e)
}

// openingLines is what stands above an entry's words: a blank line, where it does not
// go on with the notes before it, and the speaker's name.
func (t *transcript) openingLines(i int) []string {
	e := &t.entries[i]
	lines := make([]string, 0, 4+len(e.text)/max(t.width, 1))
	if i > 0 && (e.kind != noteEntry || t.entries[i-1].kind != noteEntry) {
		lines = append(lines, "")
	}
	look, name := t.st.faint, e.name
	switch e.kind {
	case characterTurn:
		look = t.st.character
	case playerTurn:
		look = t.st.player
	case unkeptTurn:
		name += ", broken off and not kept"
	default:
		return lines
	}
	return append(lines, " "+look.Render(cutToWidth(name, t.width-2)))
}

// speakerBar stands beside the character's words, so that they are told apart without
// colours too.
func (t *transcript) speakerBar() string { return " " + t.st.character.Render("▎") + " " }

// The widest column of words: longer lines are hard to read on.
const widestMeasure = 100

// textWidth is how wide words may be beside their margins.
func (t *transcript) textWidth() int { return min(t.width-4, widestMeasure) }

func (t *transcript) indentLines(lines []string, margin string, said []string) []string {
	for _, line := range said {
		lines = append(lines, margin+line)
	}
	return lines
}

// chapterLine is a rule with a machine's name.
func (t *transcript) chapterLine(title string) string {
	label := " " + cutToWidth(title, t.width-8) + " "
	rest := max(t.width-4-ansi.StringWidth(label), 0)
	return " " + t.st.rule.Render("──") + t.st.faint.Render(label) + t.st.rule.Render(strings.Repeat("─", rest))
}

func (t *transcript) noteLines(lines []string, e *entry) []string {
	look := noteStyle(t.st, e.tone)
	for part := range strings.SplitSeq(e.text, "\n") {
		for j, line := range wrapText(part, min(t.width-4, widestMeasure)) {
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
func noteStyle(st *styles, t tone) lipgloss.Style {
	switch t {
	case toneGood:
		return st.good
	case toneBad:
		return st.bad
	}
	return st.note
}

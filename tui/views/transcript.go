package views

import (
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/terminal"
)

// EntryKind is the kind of an Entry.
type EntryKind uint8

const (
	CharacterTurn EntryKind = iota
	PlayerTurn
	noteEntry    // a note about changes, or a message of the program
	ChapterEntry // a machine begins: Text is the machine's title, Name its goal
	EndingEntry  // a machine has ended: Name is the ending's title, Text the lines below the title
	openingEntry // the card with which a conversation begins
	unkeptTurn   // the shown part of a reply that broke off
)

// Tone is the kind of a note, which determines the note's style. An entry stores the tone rather
// than the style, because the theme can change.
type Tone uint8

const (
	ToneNews Tone = iota
	ToneGood
	ToneBad
	ToneWarn
	// ToneChange is for a note that lists the changes by a turn.
	ToneChange
	// ToneLast is for a note that lists the changes by a turn, if only one try is left.
	ToneLast
)

// Entry is an entry of a transcript. Its texts are clean.
type Entry struct {
	Kind EntryKind
	tone Tone
	Name string
	Text string
	// Session is the id of the session to which a ChapterEntry belongs.
	Session string
	card    *OpeningCard
}

func (e *Entry) isTurn() bool { return e.Kind == CharacterTurn || e.Kind == PlayerTurn }

// Transcript is the conversation and a window on it. It wraps only the entries that the window
// shows, and caches only the lines of recent entries. So time and memory do not depend on the
// length of the conversation.
type Transcript struct {
	st       *Styles
	markdown *markdownRenderer
	Entries  []Entry
	lines    map[int][]string // by entry, at the present width
	width    int
	height   int
	// Follow keeps the window at the end of the conversation. If Follow is false, the first line of
	// the window is line from.line of entry from.entry.
	Follow bool
	from   spot
	// FromTop shows a short conversation at the top of the window rather than at the bottom.
	FromTop bool
	// Streaming is the number, counted from 1, of the entry that is still growing, or 0.
	Streaming int
	// Chosen is the number, counted from 1, of the entry that the player has clicked, or 0.
	Chosen int
	// standing means that the side panel shows the aim and the tries, so that the transcript omits
	// them.
	standing bool
}

type spot struct{ entry, line int }

// NewTranscript returns an empty transcript. Its window follows the end.
func NewTranscript(st *Styles) *Transcript {
	return &Transcript{st: st, markdown: newMarkdownRenderer(st), lines: map[int][]string{}, Follow: true}
}

// AddEntry appends an entry.
func (v *Transcript) AddEntry(e Entry) {
	if e.Kind == ChapterEntry {
		v.ForgetLines() // The previous chapter is no longer the last chapter.
	}
	v.Entries = append(v.Entries, e)
}

// AddNote appends a note, with one line for each line of text.
func (v *Transcript) AddNote(text string, sound Tone) {
	v.AddEntry(NewNote(text, sound))
}

// BeginEntry appends an entry that grows with AppendWords until EndEntry, CompleteEntry
// or BreakOff.
func (v *Transcript) BeginEntry(e Entry) {
	v.AddEntry(e)
	v.Streaming = len(v.Entries)
}

// AppendWords adds clean words to the growing entry. The window does not move unless it
// follows the end.
func (v *Transcript) AppendWords(delta string) {
	if v.Streaming == 0 {
		return
	}
	e := &v.Entries[v.Streaming-1]
	if e.Text == "" {
		delta = strings.TrimLeft(delta, " \n")
	}
	e.Text += delta
	delete(v.lines, v.Streaming-1)
}

// EndEntry sets the final text of the growing entry, which may differ from the streamed text.
func (v *Transcript) EndEntry(text string) {
	at := v.Streaming - 1
	v.Streaming = 0
	v.Entries[at].Text = text
	delete(v.lines, at)
}

// CompleteEntry replaces the growing entry's text with the complete text. If no entry is growing,
// it appends the entry.
func (v *Transcript) CompleteEntry(whole Entry) {
	if v.Streaming == 0 {
		v.AddEntry(whole)
		return
	}
	v.EndEntry(whole.Text)
}

// BreakOff ends the growing entry of a reply that broke off. It marks the words as not kept by the
// service. If the entry has no words, BreakOff removes it.
func (v *Transcript) BreakOff() {
	at := v.Streaming - 1
	v.Streaming = 0
	if at < 0 {
		return
	}
	if v.Entries[at].Text == "" {
		v.removeEntry(at)
		return
	}
	v.Entries[at].Kind = unkeptTurn
	delete(v.lines, at)
}

// ForgetBroken removes the entries that BreakOff has marked.
func (v *Transcript) ForgetBroken() {
	for i := len(v.Entries) - 1; i >= 0; i-- {
		if v.Entries[i].Kind == unkeptTurn {
			v.removeEntry(i)
		}
	}
}

// DropLastTurn removes the player's newest turn, unless something other than notes and broken
// replies follows it.
func (v *Transcript) DropLastTurn() {
	for i := len(v.Entries) - 1; i >= 0; i-- {
		switch v.Entries[i].Kind {
		case PlayerTurn:
			v.removeEntry(i)
			return
		case noteEntry, unkeptTurn:
		default:
			return
		}
	}
}

func (v *Transcript) removeEntry(i int) {
	v.Entries, v.Chosen = slices.Delete(v.Entries, i, i+1), 0
	v.ForgetLines()
	if v.Streaming > i+1 {
		v.Streaming--
	}
	switch {
	case v.from.entry > i:
		v.from.entry--
	case v.from.entry == i:
		v.from.line = 0
	}
	v.followAtEnd()
}

// ClearEntries removes all entries.
func (v *Transcript) ClearEntries() {
	v.Entries, v.Follow, v.from, v.Streaming, v.Chosen = nil, true, spot{}, 0, 0
	v.ForgetLines()
}

// ForgetLines clears the cache of lines, so that all entries are rendered again.
func (v *Transcript) ForgetLines() { clear(v.lines) }

// maxLines is the maximum number of entries in the cache of lines. A window shows fewer entries.
const maxLines = 512

// entryLines returns the lines of an entry at the present width. The caller must not change them.
func (v *Transcript) entryLines(i int) []string {
	if lines, ok := v.lines[i]; ok {
		return lines
	}
	if len(v.lines) >= maxLines {
		clear(v.lines)
	}
	lines := v.renderEntry(i)
	v.lines[i] = lines
	return lines
}

func (v *Transcript) renderEntry(i int) []string {
	e := &v.Entries[i]
	lines := v.openingLines(i)
	switch e.Kind {
	case CharacterTurn:
		return indentLines(lines, speakerBar(v.st), v.markdown.RenderLines(e.Text, v.textWidth()))
	case PlayerTurn:
		return indentLines(lines, "   ", terminal.WrapText(e.Text, v.textWidth()))
	case unkeptTurn:
		return indentLines(lines, " "+v.st.Faint.Render("┆")+" ", renderAll(v.st.Faint, terminal.WrapText(e.Text, v.textWidth())))
	case ChapterEntry:
		return v.chapterLines(lines, i)
	case EndingEntry:
		return v.endingLines(lines, e)
	case openingEntry:
		card := *e.card
		if v.standing {
			card.Goal, card.Tries, card.Score = "", "", ""
		}
		return append(lines, card.DrawLines(v.st, min(v.width, WidestMeasure))...)
	}
	return v.noteLines(lines, e)
}

// openingLines returns the lines above the text of an entry: a blank line and the speaker's name.
// Two notes in a row have no blank line between them, and a speaker who continues has no name.
func (v *Transcript) openingLines(i int) []string {
	e := &v.Entries[i]
	lines := make([]string, 0, 4+len(e.Text)/max(v.width, 1))
	if i > 0 && (e.Kind != noteEntry || v.Entries[i-1].Kind != noteEntry) {
		lines = append(lines, "")
	}
	if i > 0 && e.isTurn() && e.Kind == v.Entries[i-1].Kind && e.Name == v.Entries[i-1].Name {
		return lines
	}
	look, name := v.st.Faint, e.Name
	switch e.Kind {
	case CharacterTurn:
		look = v.st.Character
	case PlayerTurn:
		look = v.st.Player
	case unkeptTurn:
		name += ", broken off and not saved"
	default:
		return lines
	}
	if v.Chosen == i+1 {
		look = look.Reverse(true)
	}
	return append(lines, " "+look.Render(terminal.CutToWidth(name, v.width-2)))
}

// speakerBar returns the bar before each line of the character. The bar distinguishes the
// character's lines from the player's lines, even without colours.
func speakerBar(st *Styles) string { return " " + st.Character.Render("▎") + " " }

// WidestMeasure is the maximum length of a line of text, in cells. Longer lines are hard to read.
const WidestMeasure = 100

func (v *Transcript) textWidth() int { return min(v.width-4, WidestMeasure) }

func indentLines(lines []string, margin string, said []string) []string {
	for _, line := range said {
		lines = append(lines, margin+line)
	}
	return lines
}

func (v *Transcript) chapterLines(lines []string, i int) []string {
	e := &v.Entries[i]
	label := " " + terminal.CutToWidth(e.Text, v.width-8) + " "
	rest := strings.Repeat("─", max(v.width-4-ansi.StringWidth(label), 0))
	lines = append(lines, " "+v.st.Rule.Render("──")+v.st.Faint.Render(label)+v.st.Rule.Render(rest))
	isLast := !slices.ContainsFunc(v.Entries[i+1:], func(e Entry) bool { return e.Kind == ChapterEntry })
	if e.Name == "" || v.standing && isLast {
		return lines
	}
	return indentLines(lines, "   ", renderAll(v.st.Note, terminal.WrapText(e.Name, v.textWidth())))
}

// ShowStanding sets whether the side panel shows the aim and the tries. If beside
// is true, the transcript omits both.
func (v *Transcript) ShowStanding(beside bool) {
	if beside != v.standing {
		v.standing = beside
		v.ForgetLines()
	}
}

// AddOpening appends the card with which a conversation begins.
func (v *Transcript) AddOpening(card *OpeningCard) { v.AddEntry(Entry{Kind: openingEntry, card: card}) }

func (v *Transcript) endingLines(lines []string, e *Entry) []string {
	look := noteStyle(v.st, e.tone)
	rule := " " + look.Render(strings.Repeat("━", max(v.width-2, 0)))
	lines = append(lines, rule, centreLine(look, e.Name, v.width))
	for part := range strings.SplitSeq(e.Text, "\n") {
		for _, line := range terminal.WrapText(part, v.textWidth()) {
			lines = append(lines, centreLine(v.st.Text, line, v.width))
		}
	}
	return append(lines, rule)
}

func centreLine(look lipgloss.Style, text string, width int) string {
	text = terminal.CutToWidth(text, width-2)
	return strings.Repeat(" ", max((width-ansi.StringWidth(text))/2, 1)) + look.Render(text)
}

func (v *Transcript) noteLines(lines []string, e *Entry) []string {
	look := noteStyle(v.st, e.tone)
	for part := range strings.SplitSeq(e.Text, "\n") {
		for j, line := range terminal.WrapText(part, min(v.width-4, WidestMeasure)) {
			mark := "   "
			switch {
			case j == 0 && (e.tone == ToneChange || e.tone == ToneWarn || e.tone == ToneLast):
				mark = " → "
			case j == 0:
				mark = " · "
			}
			lines = append(lines, look.Render(mark+line))
		}
	}
	return lines
}

func renderAll(look lipgloss.Style, lines []string) []string {
	for i := range lines {
		lines[i] = look.Render(lines[i])
	}
	return lines
}

func noteStyle(st *Styles, t Tone) lipgloss.Style {
	switch t {
	case ToneGood:
		return st.Good
	case ToneBad, ToneLast:
		return st.Bad
	case ToneWarn:
		return st.Warn
	}
	return st.Note
}

// InsertEntries inserts entries before the entry with index at. A window that begins at or below
// that entry keeps its content.
func (v *Transcript) InsertEntries(at int, list []Entry) {
	v.Entries = slices.Insert(v.Entries, at, list...)
	v.ForgetLines()
	if v.Streaming > at {
		v.Streaming += len(list)
	}
	if v.from.entry >= at {
		v.from.entry += len(list)
	}
}

// LastTurn returns the index of the player's newest turn. Without such a turn it returns the number
// of entries.
func (v *Transcript) LastTurn() int {
	for i := len(v.Entries) - 1; i >= 0; i-- {
		if v.Entries[i].Kind == PlayerTurn {
			return i
		}
	}
	return len(v.Entries)
}

// FindChapter returns the bounds of a session's last chapter. from is the index of the title, end
// the index after the chapter. If the chapter does not exist, both are -1.
func (v *Transcript) FindChapter(session string) (from, end int) {
	end = len(v.Entries)
	for i := len(v.Entries) - 1; i >= 0; i-- {
		if v.Entries[i].Kind != ChapterEntry {
			continue
		}
		if v.Entries[i].Session == session {
			return i, end
		}
		end = i
	}
	return -1, -1
}

// DropChapter removes a session's last chapter.
func (v *Transcript) DropChapter(session string) {
	from, end := v.FindChapter(session)
	for i := end - 1; i >= max(from, 0); i-- {
		v.removeEntry(i)
	}
}

// SetOpening replaces the card at the beginning of the conversation, if there is one.
func (v *Transcript) SetOpening(card *OpeningCard) {
	if v.HasOpening() {
		v.Entries[0].card = card
		v.ForgetLines()
	}
}

// HasOpening reports whether the conversation begins with a card.
func (v *Transcript) HasOpening() bool {
	return len(v.Entries) > 0 && v.Entries[0].Kind == openingEntry
}

// ReplaceNote finds the newest note with the old text, and changes its text.
func (v *Transcript) ReplaceNote(old, text string) {
	for i := len(v.Entries) - 1; i >= 0; i-- {
		if e := &v.Entries[i]; e.Kind == noteEntry && e.Text == old {
			e.Text = text
			delete(v.lines, i)
			return
		}
	}
}

// RemoveNote removes the newest note with the given text.
func (v *Transcript) RemoveNote(text string) {
	for i := len(v.Entries) - 1; i >= 0; i-- {
		if e := &v.Entries[i]; e.Kind == noteEntry && e.Text == text {
			v.removeEntry(i)
			return
		}
	}
}

// NewNote returns a note, with one line for each line of text.
func NewNote(text string, sound Tone) Entry { return Entry{Kind: noteEntry, Text: text, tone: sound} }

// NewEnding returns an ending: its title and lines about it.
func NewEnding(title string, told []string, sound Tone) Entry {
	return Entry{Kind: EndingEntry, Name: title, Text: strings.Join(told, "\n"), tone: sound}
}

// BreakOpening ends an opening that is still streaming, and removes the title of its chapter. If
// stays is true, BreakOpening marks the words of the opening as not kept. Otherwise it also removes
// the words.
func BreakOpening(v *Transcript, stays bool) {
	if at := v.Streaming - 2; at >= 0 && v.Entries[at].Kind == ChapterEntry {
		v.removeEntry(at)
	}
	if v.Streaming > 0 && !stays {
		v.Entries[v.Streaming-1].Text = ""
	}
	v.BreakOff()
}

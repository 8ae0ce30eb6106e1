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
	noteEntry
	ChapterEntry // Text is the title, Name the goal
	EndingEntry  // Name is the title, Text the lines below
	openingEntry
	unkeptTurn
)

// Tone is the kind of a note. An entry stores no style, because the theme can change.
type Tone uint8

const (
	ToneNews Tone = iota
	ToneGood
	ToneBad
	ToneWarn
	// ToneChange is for the changes of a turn.
	ToneChange
	// ToneLast marks a turn after which the player has one try.
	ToneLast
)

// Entry is an entry of a transcript. Texts are clean.
type Entry struct {
	Kind EntryKind
	tone Tone
	Name string
	Text string
	// Session is the session id of a ChapterEntry.
	Session string
	card    *OpeningCard
}

func (e *Entry) isTurn() bool { return e.Kind == CharacterTurn || e.Kind == PlayerTurn }

// Transcript is the conversation with a window. Only visible entries are wrapped, so time and
// memory do not grow with the conversation.
type Transcript struct {
	st       *Styles
	markdown *markdownRenderer
	Entries  []Entry
	lines    map[int][]string // by entry, at the present width
	width    int
	height   int
	// Follow keeps the window at the end. Otherwise, from is the first visible line.
	Follow bool
	from   spot
	// FromTop shows a short conversation at the top of the window.
	FromTop bool
	// Streaming is the index plus 1 of the growing entry, or 0.
	Streaming int
	// Chosen is the index plus 1 of the clicked entry, or 0.
	Chosen   int
	standing bool
}

type spot struct{ entry, line int }

// NewTranscript returns an empty transcript with a window that follows the end.
func NewTranscript(st *Styles) *Transcript {
	return &Transcript{st: st, markdown: newMarkdownRenderer(st), lines: map[int][]string{}, Follow: true}
}

// AddEntry appends an entry.
func (v *Transcript) AddEntry(e Entry) {
	if e.Kind == ChapterEntry {
		v.ForgetLines() // The last chapter is drawn differently.
	}
	v.Entries = append(v.Entries, e)
}

// AddNote appends a note, with one line for each line of text.
func (v *Transcript) AddNote(text string, sound Tone) {
	v.AddEntry(NewNote(text, sound))
}

// BeginEntry appends an entry for AppendWords. EndEntry, CompleteEntry or BreakOff completes the
// entry.
func (v *Transcript) BeginEntry(e Entry) {
	v.AddEntry(e)
	v.Streaming = len(v.Entries)
}

// AppendWords adds clean text to the growing entry.
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

// EndEntry sets the final text of the growing entry.
func (v *Transcript) EndEntry(text string) {
	index := v.Streaming - 1
	v.Streaming = 0
	v.Entries[index].Text = text
	delete(v.lines, index)
}

// CompleteEntry sets the final text of the growing entry, or appends the entry.
func (v *Transcript) CompleteEntry(entry Entry) {
	if v.Streaming == 0 {
		v.AddEntry(entry)
		return
	}
	v.EndEntry(entry.Text)
}

// BreakOff marks the growing entry as unsaved. An empty entry is removed.
func (v *Transcript) BreakOff() {
	index := v.Streaming - 1
	v.Streaming = 0
	if index < 0 {
		return
	}
	if v.Entries[index].Text == "" {
		v.removeEntry(index)
		return
	}
	v.Entries[index].Kind = unkeptTurn
	delete(v.lines, index)
}

// ForgetBroken removes the entries that BreakOff has marked.
func (v *Transcript) ForgetBroken() {
	for i := len(v.Entries) - 1; i >= 0; i-- {
		if v.Entries[i].Kind == unkeptTurn {
			v.removeEntry(i)
		}
	}
}

// DropLastTurn removes the player's newest turn, unless a complete reply or a chapter follows.
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

// ForgetLines clears the cache of rendered lines.
func (v *Transcript) ForgetLines() { clear(v.lines) }

const maxLines = 512

// entryLines returns cached lines. The caller must not change the lines.
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
	entry := &v.Entries[i]
	lines := v.openingLines(i)
	switch entry.Kind {
	case CharacterTurn:
		return indentLines(lines, speakerBar(v.st), v.markdown.RenderLines(entry.Text, v.textWidth()))
	case PlayerTurn:
		return indentLines(lines, "   ", terminal.WrapText(entry.Text, v.textWidth()))
	case unkeptTurn:
		faint := renderAll(v.st.Faint, terminal.WrapText(entry.Text, v.textWidth()))
		return indentLines(lines, " "+v.st.Faint.Render("┆")+" ", faint)
	case ChapterEntry:
		return v.chapterLines(lines, i)
	case EndingEntry:
		return v.endingLines(lines, entry)
	case openingEntry:
		card := *entry.card
		if v.standing {
			card.Goal, card.Tries, card.Score = "", "", ""
		}
		return append(lines, card.DrawLines(v.st, min(v.width, WidestMeasure))...)
	}
	return v.noteLines(lines, entry)
}

func (v *Transcript) openingLines(i int) []string {
	e := &v.Entries[i]
	lines := make([]string, 0, 4+len(e.Text)/max(v.width, 1))
	if i > 0 {
		before := &v.Entries[i-1]
		if e.Kind != noteEntry || before.Kind != noteEntry {
			lines = append(lines, "")
		}
		if e.isTurn() && e.Kind == before.Kind && e.Name == before.Name {
			return lines
		}
	}
	style, name := v.st.Faint, e.Name
	switch e.Kind {
	case CharacterTurn:
		style = v.st.Character
	case PlayerTurn:
		style = v.st.Player
	case unkeptTurn:
		name += ", broken off and not saved"
	default:
		return lines
	}
	if v.Chosen == i+1 {
		style = style.Reverse(true)
	}
	return append(lines, " "+style.Render(terminal.CutToWidth(name, v.width-2)))
}

// speakerBar distinguishes the character from the player, even without colours.
func speakerBar(st *Styles) string { return " " + st.Character.Render("▎") + " " }

// WidestMeasure is the maximum length of a line in cells. Longer lines are hard to read.
const WidestMeasure = 100

func (v *Transcript) textWidth() int { return min(v.width-4, WidestMeasure) }

func indentLines(lines []string, margin string, added []string) []string {
	for _, line := range added {
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

// ShowStanding omits the aim and the tries if the side panel shows both.
func (v *Transcript) ShowStanding(panelShown bool) {
	if panelShown != v.standing {
		v.standing = panelShown
		v.ForgetLines()
	}
}

// AddOpening appends the opening card.
func (v *Transcript) AddOpening(card *OpeningCard) { v.AddEntry(Entry{Kind: openingEntry, card: card}) }

func (v *Transcript) endingLines(lines []string, e *Entry) []string {
	style := noteStyle(v.st, e.tone)
	rule := " " + style.Render(strings.Repeat("━", max(v.width-2, 0)))
	lines = append(lines, rule, centreLine(style, e.Name, v.width))
	for part := range strings.SplitSeq(e.Text, "\n") {
		for _, line := range terminal.WrapText(part, v.textWidth()) {
			lines = append(lines, centreLine(v.st.Text, line, v.width))
		}
	}
	return append(lines, rule)
}

func centreLine(style lipgloss.Style, text string, width int) string {
	text = terminal.CutToWidth(text, width-2)
	return strings.Repeat(" ", max((width-ansi.StringWidth(text))/2, 1)) + style.Render(text)
}

func (v *Transcript) noteLines(lines []string, e *Entry) []string {
	style, mark := noteStyle(v.st, e.tone), " · "
	if e.tone == ToneChange || e.tone == ToneWarn || e.tone == ToneLast {
		mark = " → "
	}
	for part := range strings.SplitSeq(e.Text, "\n") {
		margin := mark
		for _, line := range terminal.WrapText(part, min(v.width-4, WidestMeasure)) {
			lines = append(lines, style.Render(margin+line))
			margin = "   "
		}
	}
	return lines
}

func renderAll(style lipgloss.Style, lines []string) []string {
	for i := range lines {
		lines[i] = style.Render(lines[i])
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

// InsertEntries inserts entries before index. The window keeps its content.
func (v *Transcript) InsertEntries(index int, list []Entry) {
	v.Entries = slices.Insert(v.Entries, index, list...)
	v.ForgetLines()
	if v.Streaming > index {
		v.Streaming += len(list)
	}
	if v.Chosen > index {
		v.Chosen += len(list)
	}
	if v.from.entry >= index {
		v.from.entry += len(list)
	}
}

// LastTurn returns the index of the player's newest turn. The default is the number of entries.
func (v *Transcript) LastTurn() int {
	for i := len(v.Entries) - 1; i >= 0; i-- {
		if v.Entries[i].Kind == PlayerTurn {
			return i
		}
	}
	return len(v.Entries)
}

// FindChapter returns the bounds of a session's last chapter. Both are -1 if the chapter does not
// exist.
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

// SetOpening replaces an existing opening card.
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

// ReplaceNote finds the newest note with the text old, and sets its text.
func (v *Transcript) ReplaceNote(old, text string) {
	for i := len(v.Entries) - 1; i >= 0; i-- {
		if e := &v.Entries[i]; e.Kind == noteEntry && e.Text == old {
			e.Text = text
			delete(v.lines, i)
			return
		}
	}
}

// RemoveNote removes the newest note with a text.
func (v *Transcript) RemoveNote(text string) {
	for i := len(v.Entries) - 1; i >= 0; i-- {
		if e := &v.Entries[i]; e.Kind == noteEntry && e.Text == text {
			v.removeEntry(i)
			return
		}
	}
}

// NewNote returns a note with one line for each line of text.
func NewNote(text string, sound Tone) Entry { return Entry{Kind: noteEntry, Text: text, tone: sound} }

// NewEnding returns an ending with a title and further lines.
func NewEnding(title string, lines []string, sound Tone) Entry {
	return Entry{Kind: EndingEntry, Name: title, Text: strings.Join(lines, "\n"), tone: sound}
}

// BreakOpening ends a streaming opening and removes the chapter's title. If stays is true, the text
// stays and is marked as unsaved.
func BreakOpening(v *Transcript, stays bool) {
	if index := v.Streaming - 2; index >= 0 && v.Entries[index].Kind == ChapterEntry {
		v.removeEntry(index)
	}
	if v.Streaming > 0 && !stays {
		v.Entries[v.Streaming-1].Text = ""
	}
	v.BreakOff()
}

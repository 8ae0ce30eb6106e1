package transcript

import (
	"slices"
	"strings"
)

// InsertEntries inserts entries at a place. A window that is further down keeps its content.
func (v *View) InsertEntries(at int, list []Entry) {
	v.Entries = slices.Insert(v.Entries, at, list...)
	v.countTurns(at)
	v.ForgetLines()
	if v.Streaming > at {
		v.Streaming += len(list)
	}
	if v.from.entry >= at {
		v.from.entry += len(list)
	}
}

// LastTurn returns the index of the player's newest turn, or the number of entries if there is
// none.
func (v *View) LastTurn() int {
	for i := len(v.Entries) - 1; i >= 0; i-- {
		if v.Entries[i].Kind == PlayerTurn {
			return i
		}
	}
	return len(v.Entries)
}

// FindChapter returns the bounds of a session's last chapter, from its title to after its end; from
// is -1 if there is none.
func (v *View) FindChapter(session string) (from, end int) {
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

// DropChapter takes a session's last chapter away, because it is shown again.
func (v *View) DropChapter(session string) {
	from, end := v.FindChapter(session)
	for i := end - 1; i >= max(from, 0); i-- {
		v.removeEntry(i)
	}
}

// SetOpening changes the card with which the conversation begins, if there is one.
func (v *View) SetOpening(card *OpeningCard) {
	if v.HasOpening() {
		v.Entries[0].card = card
		v.ForgetLines()
	}
}

// HasOpening reports whether the conversation begins with a card.
func (v *View) HasOpening() bool { return len(v.Entries) > 0 && v.Entries[0].Kind == openingEntry }

// ReplaceNote changes the text of the newest note with a given text.
func (v *View) ReplaceNote(was, now string) {
	for i := len(v.Entries) - 1; i >= 0; i-- {
		if e := &v.Entries[i]; e.Kind == noteEntry && e.Text == was {
			e.Text = now
			delete(v.lines, i)
			return
		}
	}
}

// RemoveNote removes the newest note with a text.
func (v *View) RemoveNote(text string) {
	for i := len(v.Entries) - 1; i >= 0; i-- {
		if e := &v.Entries[i]; e.Kind == noteEntry && e.Text == text {
			v.removeEntry(i)
			return
		}
	}
}

// NewNote is a note, one line of it for each line of text.
func NewNote(text string, sound Tone) Entry { return Entry{Kind: noteEntry, Text: text, tone: sound} }

// NewEnding is an ending: how it was, and lines about it.
func NewEnding(title string, told []string, sound Tone) Entry {
	return Entry{Kind: EndingEntry, Name: title, Text: strings.Join(told, "\n"), tone: sound}
}

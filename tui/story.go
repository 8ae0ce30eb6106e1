package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/transcript"
)

// goingOn is said where a conversation that was begun earlier goes on.
const goingOn = "Going on where you were."

// story is how far the parts that were played before stand above the present one. They
// are read beside the conversation, so that it opens as fast however long it is.
type story struct {
	isShown, isRead bool   // isRead says that it was asked for
	beside          string // the session beside which it is read
	then            []func() tea.Cmd
}

// storyReadMsg: what the player has gone through in other parts than a session's.
type storyReadMsg struct {
	beside string
	story  *conversation.Story
	err    error
}

// readStory reads the parts in which the player has been before, once.
func (d *dialogue) readStory(progress wire.Progress) tea.Cmd {
	if d.story.isRead {
		return nil
	}
	d.story.isRead, d.story.beside = true, d.Session.ID
	v, present, beside := d.User, d.Session.Machine.ID, d.Session.ID
	return func() tea.Msg {
		story, err := d.requester.ReadStory(d.ctx, v, progress, present)
		return storyReadMsg{beside, story, err}
	}
}

// withStory does something when the whole story stands in the transcript.
func (d *dialogue) withStory(do func() tea.Cmd) tea.Cmd {
	if d.story.isShown {
		return do()
	}
	d.story.then = append(d.story.then, do)
	if d.story.isRead {
		return nil
	}
	return d.readMachines(false, false)
}

// handleStory puts the story above the present part and does what has waited for it.
func (d *dialogue) handleStory(msg storyReadMsg) tea.Cmd {
	if msg.beside != d.story.beside || d.story.isShown {
		return nil
	}
	if msg.err != nil {
		return d.handleNoStory(msg.err)
	}
	d.story.isShown = true
	d.showStory(msg.story)
	return d.doWaiting("")
}

// handleNoStory says that the story could not be read; /history and /search try again.
func (d *dialogue) handleNoStory(err error) tea.Cmd {
	d.story.isRead = false
	d.log.ReplaceNote(goingOn, goingOn+" What was before could not be read: /history tries again.")
	return d.doWaiting("what was before could not be read: " + d.requester.ExplainError(err))
}

// doWaiting does what has waited for the story, with all that there is of it.
func (d *dialogue) doWaiting(trouble string) tea.Cmd {
	then := d.story.then
	d.story.then = nil
	var cmds []tea.Cmd
	for _, do := range then {
		cmds = append(cmds, do())
		if trouble != "" {
			d.trouble = trouble
		}
	}
	return tea.Batch(cmds...)
}

// showStory puts chapters above what is shown.
func (d *dialogue) showStory(s *conversation.Story) {
	var list []transcript.Entry
	var first *conversation.Session
	if len(s.LeftOut) > 0 {
		list = append(list, transcript.NewNote("Too long to be shown here as well: "+strings.Join(s.LeftOut, ", ")+". /export writes all of it.", transcript.ToneNews))
	}
	for _, sc := range s.Chapters {
		if from, _ := d.log.FindChapter(sc.ID); from >= 0 {
			continue
		}
		chapter := d.chapterEntries(sc)
		if first == nil { // The card above tells what is to be tried in it.
			first, chapter[0].Name = sc, ""
		}
		list = append(list, chapter...)
	}
	if first == nil {
		return
	}
	if at, _ := d.log.FindChapter(d.Session.ID); at >= 0 {
		d.log.Entries[at].Name = d.Session.Machine.Goal
	}
	d.log.SetOpening(d.openingCard(d.User.Persona, first.Machine))
	at := 0
	if d.log.HasOpening() {
		at = 1
	}
	d.log.InsertEntries(at, list)
	before := fmt.Sprintf(" Before this: %s, %s. PgUp or /history goes there.", conversation.CountWords(len(s.Chapters), "part"), terminal.GroupThousands(s.CountMessages())+" messages")
	d.log.ReplaceNote(goingOn, goingOn+before)
}

// dropChapter takes away what is shown of a session that is to be shown anew.
func (d *dialogue) dropChapter(session string) {
	d.log.DropChapter(session)
	for i := range d.log.Entries {
		if d.log.Entries[i].Kind == transcript.ChapterEntry {
			return
		}
	}
	d.log.ClearEntries()
}

// chapterEntry is the title of a part, with what is to be tried in it.
func chapterEntry(sc *conversation.Session) transcript.Entry {
	return transcript.Entry{Kind: transcript.ChapterEntry, Text: sc.Machine.Title, Name: sc.Machine.Goal, Session: sc.ID}
}

// chapterEntries are a part that was played: its title, what was said and what that
// changed, and how it ended.
func (d *dialogue) chapterEntries(sc *conversation.Session) []transcript.Entry {
	list := append([]transcript.Entry{chapterEntry(sc)}, d.messageEntries(sc.Machine, sc.TellMessages())...)
	return append(list, d.endingEntries(sc)...)
}

// messageEntries are messages, each with the note of what it has changed.
func (d *dialogue) messageEntries(m *conversation.Machine, told []conversation.ToldMessage) []transcript.Entry {
	list := make([]transcript.Entry, 0, len(told))
	for i, t := range told {
		list = append(list, d.messageEntry(t.Role, t.Content))
		if t.Role == wire.RoleUser || i == 0 && t.Before.Score == t.After.Score {
			continue
		}
		if line, tone := changeNote(m, t.Before, t.After); line != "" {
			list = append(list, transcript.NewNote(line, tone))
		}
	}
	return list
}

// endingEntries is how a part has ended, nothing for one that goes on.
func (d *dialogue) endingEntries(sc *conversation.Session) []transcript.Entry {
	if !sc.Standing.IsFinished() {
		return nil
	}
	before := conversation.Standing{Redirects: -1}
	if told := sc.TellMessages(); len(told) > 0 {
		before = told[len(told)-1].Before
	}
	return []transcript.Entry{endingEntry(d.User.Persona.TellEnding(sc.Machine, before, sc.Standing, nil))}
}

// endingEntry is an ending as the transcript shows it.
func endingEntry(news conversation.EndingNews) transcript.Entry {
	tone := transcript.ToneNews
	switch news.Kind {
	case playwords.Won:
		tone = transcript.ToneGood
	case playwords.Lost:
		tone = transcript.ToneBad
	}
	return transcript.NewEnding(news.Title, append([]string{news.Place}, news.Told...), tone)
}

func (d *dialogue) addEntries(list []transcript.Entry) {
	for _, e := range list {
		d.log.AddEntry(e)
	}
}

// messageEntry is a message as the transcript shows it.
func (d *dialogue) messageEntry(role, text string) transcript.Entry {
	kind := transcript.CharacterTurn
	if role == wire.RoleUser {
		kind = transcript.PlayerTurn
	}
	return transcript.Entry{Kind: kind, Name: conversation.SpeakerName(d.User, role), Text: strings.TrimSpace(terminal.CleanLines(text))}
}

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

// goingOn is shown when an earlier conversation continues.
const goingOn = "Going on where you were."

// story is how far the parts that were played before are above the present one. They
// are read beside the conversation, so that it opens as fast however long it is.
type story struct {
	isShown, isRead bool   // isRead: it was requested
	beside          string // the session beside which it is read
	then            []func() tea.Cmd
}

// storyReadMsg is the player's story in other parts than a session's.
type storyReadMsg struct {
	beside string
	story  *conversation.Story
	err    error
}

// readStory reads the parts that the player has visited before, once.
func (d *dialogue) readStory(progress wire.Progress) tea.Cmd {
	if d.story.isRead {
		return nil
	}
	d.story.isRead, d.story.beside = true, d.current.Session.ID
	v, present, beside := d.current.User, d.current.Session.Machine.ID, d.current.Session.ID
	return func() tea.Msg {
		story, err := d.env.requester.ReadStory(d.env.ctx, v, progress, present)
		return storyReadMsg{beside, story, err}
	}
}

// withStory does something when the whole story is in the transcript.
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
	d.teller.showStory(msg.story)
	return d.doWaiting("")
}

// handleNoStory returns that the story could not be read; /history and /search try again.
func (d *dialogue) handleNoStory(err error) tea.Cmd {
	d.story.isRead = false
	d.log.ReplaceNote(goingOn, goingOn+" What was before could not be read: /history tries again.")
	return d.doWaiting("what was before could not be read: " + d.env.requester.ExplainError(err))
}

// doWaiting does what has waited for the story, with all that there is of it.
func (d *dialogue) doWaiting(trouble string) tea.Cmd {
	then := d.story.then
	d.story.then = nil
	var cmds []tea.Cmd
	for _, do := range then {
		cmds = append(cmds, do())
		if trouble != "" {
			d.notice.trouble = trouble
		}
	}
	return tea.Batch(cmds...)
}

// storyTeller puts a conversation into the transcript.
type storyTeller struct {
	cards   *transcript.Portraits // draws the card with which a conversation begins
	current *conversation.Current
	log     *transcript.View
}

// showStory puts chapters above what is shown.
func (t *storyTeller) showStory(s *conversation.Story) {
	var list []transcript.Entry
	var first *conversation.Session
	if len(s.LeftOut) > 0 {
		list = append(list, transcript.NewNote("Too long to be shown here as well: "+strings.Join(s.LeftOut, ", ")+". /export writes all of it.", transcript.ToneNews))
	}
	for _, sc := range s.Chapters {
		if from, _ := t.log.FindChapter(sc.ID); from >= 0 {
			continue
		}
		chapter := append([]transcript.Entry{chapterEntry(sc)}, t.messageEntries(sc.Machine, sc.TellMessages())...)
		if first == nil { // The card above tells what is to be tried in it.
			first, chapter[0].Name = sc, ""
		}
		list = append(append(list, chapter...), t.endingEntries(sc)...)
	}
	if first == nil {
		return
	}
	if at, _ := t.log.FindChapter(t.current.Session.ID); at >= 0 {
		t.log.Entries[at].Name = t.current.Session.Machine.Goal
	}
	t.log.SetOpening(t.cards.OpeningCard(t.current.User, first.Machine))
	at := 0
	if t.log.HasOpening() {
		at = 1
	}
	t.log.InsertEntries(at, list)
	before := fmt.Sprintf(" Before this: %s, %s. PgUp or /history goes there.", conversation.CountWords(len(s.Chapters), "part"), terminal.GroupThousands(s.CountMessages())+" messages")
	t.log.ReplaceNote(goingOn, goingOn+before)
}

// dropChapter removes the shown part of a session that is to be shown again.
func (t *storyTeller) dropChapter(session string) {
	t.log.DropChapter(session)
	for i := range t.log.Entries {
		if t.log.Entries[i].Kind == transcript.ChapterEntry {
			return
		}
	}
	t.log.ClearEntries()
}

// chapterEntry returns the title of a part, with its aim.
func chapterEntry(sc *conversation.Session) transcript.Entry {
	return transcript.Entry{Kind: transcript.ChapterEntry, Text: sc.Machine.Title, Name: sc.Machine.Goal, Session: sc.ID}
}

// messageEntries are messages, each with the note of what it has changed.
func (t *storyTeller) messageEntries(m *conversation.Machine, told []conversation.ToldMessage) []transcript.Entry {
	list := make([]transcript.Entry, 0, len(told))
	for i, said := range told {
		list = append(list, t.messageEntry(said.Role, said.Content))
		if said.Role == wire.RoleUser || i == 0 && said.Before.Score == said.After.Score {
			continue
		}
		if line, tone := changeNote(m, said.Before, said.After); line != "" {
			list = append(list, transcript.NewNote(line, tone))
		}
	}
	return list
}

// endingEntries returns the ending of a part, or nil while it goes on.
func (t *storyTeller) endingEntries(sc *conversation.Session) []transcript.Entry {
	if !sc.Standing.IsFinished() {
		return nil
	}
	before := conversation.Standing{Redirects: -1}
	if told := sc.TellMessages(); len(told) > 0 {
		before = told[len(told)-1].Before
	}
	news := t.current.User.Persona.TellEnding(sc, before, nil)
	if found := t.current.User.FoundWords(); found != "" && sc == t.current.Session {
		news.Told = append(news.Told, playwords.FoundSoFar(found))
	}
	if hint := sc.TakeBackHint(); hint != "" && sc == t.current.Session {
		news.Told = append(news.Told, hint)
	}
	return []transcript.Entry{endingEntry(news)}
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

func (t *storyTeller) addEntries(list []transcript.Entry) {
	for _, e := range list {
		t.log.AddEntry(e)
	}
}

// messageEntry is a message as the transcript shows it.
func (t *storyTeller) messageEntry(role, text string) transcript.Entry {
	kind := transcript.CharacterTurn
	if role == wire.RoleUser {
		kind = transcript.PlayerTurn
	}
	return transcript.Entry{Kind: kind, Name: conversation.SpeakerName(t.current.User, t.current.Session, role), Text: strings.TrimSpace(terminal.CleanLines(text))}
}

// saidElsewhere is the heading of messages from another window of the same session.
const saidElsewhere = "Said meanwhile in another window:"

// showMeanwhile inserts messages from elsewhere before the player's newest turn.
func (t *storyTeller) showMeanwhile(m *conversation.Meanwhile) {
	t.current.Session.ID, t.current.Session.Messages = m.Session.ID, m.Session.Messages
	if len(m.Earlier) == 0 {
		return
	}
	words := saidElsewhere
	if m.Anew {
		words = t.current.Session.Machine.Title + " was begun again in another window:"
	}
	list := append([]transcript.Entry{transcript.NewNote(words, transcript.ToneNews)}, t.messageEntries(t.current.Session.Machine, m.Earlier)...)
	t.log.InsertEntries(t.log.LastTurn(), list)
}

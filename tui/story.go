package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

const goingOn = "Continuing where you left off."

// story is how far the earlier parts of the story were read, which are shown above the present
// part. They are read after the conversation has opened, because a long story takes time.
type story struct {
	isShown, isRead bool   // isShown: the parts are in the transcript; isRead: they were requested
	beside          string // the id of the session above which the parts are shown
	then            []func() tea.Cmd
}

type storyReadMsg struct {
	beside string
	story  *conversation.Story
	err    error
}

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

// withStory calls do when the whole story is in the transcript.
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

func (d *dialogue) handleNoStory(err error) tea.Cmd {
	d.story.isRead = false
	d.log.ReplaceNote(goingOn, goingOn+" Earlier parts could not be read: /history tries again.")
	return d.doWaiting("earlier parts could not be read: " + d.env.requester.ExplainError(err))
}

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

type storyTeller struct {
	cards   *views.Portraits // draws the card at the beginning of a conversation
	current *conversation.Current
	log     *views.Transcript
}

func (t *storyTeller) showStory(s *conversation.Story) {
	var list []views.Entry
	var first *conversation.Session
	if len(s.LeftOut) > 0 {
		list = append(list, views.NewNote("Left out because it is too long: "+strings.Join(s.LeftOut, ", ")+". /export writes everything.", views.ToneNews))
	}
	for _, sc := range s.Chapters {
		if from, _ := t.log.FindChapter(sc.ID); from >= 0 {
			continue
		}
		chapter := append([]views.Entry{chapterEntry(sc)}, t.messageEntries(sc.Machine, sc.TellMessages())...)
		if first == nil { // The card above shows the chapter's aim.
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

func chapterEntry(session *conversation.Session) views.Entry {
	return views.Entry{Kind: views.ChapterEntry, Text: session.Machine.Title, Name: session.Machine.Goal, Session: session.ID}
}

func (t *storyTeller) messageEntries(m *conversation.Machine, told []conversation.ToldMessage) []views.Entry {
	list := make([]views.Entry, 0, len(told))
	for i, said := range told {
		list = append(list, t.messageEntry(said.Role, said.Content))
		if said.Role == wire.RoleUser || i == 0 && said.Before.Score == said.After.Score {
			continue
		}
		if line, tone := changeNote(m, said.Before, said.After); line != "" {
			list = append(list, views.NewNote(line, tone))
		}
	}
	return list
}

func (t *storyTeller) endingEntries(session *conversation.Session) []views.Entry {
	if !session.Standing.IsFinished() {
		return nil
	}
	before := conversation.Standing{Redirects: -1}
	if told := session.TellMessages(); len(told) > 0 {
		before = told[len(told)-1].Before
	}
	news := t.current.User.Persona.TellEnding(session, before, nil)
	if found := t.current.User.FoundWords(); found != "" && session == t.current.Session {
		news.Told = append(news.Told, playwords.FoundSoFar(found))
	}
	if hint := session.TakeBackHint(); hint != "" && session == t.current.Session {
		news.Told = append(news.Told, hint)
	}
	return []views.Entry{endingEntry(news)}
}

func endingEntry(news conversation.EndingNews) views.Entry {
	tone := views.ToneNews
	switch news.Kind {
	case playwords.Won:
		tone = views.ToneGood
	case playwords.Lost:
		tone = views.ToneBad
	}
	return views.NewEnding(news.Title, append([]string{news.Place}, news.Told...), tone)
}

func (t *storyTeller) addEntries(list []views.Entry) {
	for _, e := range list {
		t.log.AddEntry(e)
	}
}

func (t *storyTeller) messageEntry(role, text string) views.Entry {
	kind := views.CharacterTurn
	if role == wire.RoleUser {
		kind = views.PlayerTurn
	}
	return views.Entry{Kind: kind, Name: conversation.SpeakerName(t.current.User, t.current.Session, role), Text: strings.TrimSpace(terminal.CleanLines(text))}
}

const saidElsewhere = "Messages from another window:"

func (t *storyTeller) showMeanwhile(m *conversation.Meanwhile) {
	t.current.Session.ID, t.current.Session.Messages = m.Session.ID, m.Session.Messages
	if len(m.Earlier) == 0 {
		return
	}
	words := saidElsewhere
	if m.Anew {
		words = t.current.Session.Machine.Title + " was reset in another window:"
	}
	list := append([]views.Entry{views.NewNote(words, views.ToneNews)}, t.messageEntries(t.current.Session.Machine, m.Earlier)...)
	t.log.InsertEntries(t.log.LastTurn(), list)
}

package tui

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

const goingOn = "Continuing where you left off."

// readStory shows the earlier parts and calls next. The chat is already open, because a long story
// takes time.
func (c *chat) readStory(next func() tea.Cmd) tea.Cmd {
	if c.showsStory {
		return next()
	}
	user, present, sessionID := c.current.User, c.current.Session.Machine.ID, c.current.Session.ID
	return c.runAsync(func(ctx context.Context) func() tea.Cmd {
		story, err := c.env.requester.ReadStory(ctx, user, present)
		return func() tea.Cmd {
			switch {
			case sessionID != c.current.Session.ID:
				return nil
			case err != nil:
				c.log.ReplaceNote(goingOn, goingOn+" Earlier parts could not be read: /history tries again.")
				cmd := next()
				c.trouble = "earlier parts could not be read: " + c.env.requester.ExplainError(err)
				return cmd
			case !c.showsStory:
				c.showsStory = true
				c.showStory(story)
			}
			return next()
		}
	})
}

func (c *chat) showStory(story *conversation.Story) {
	var list []views.Entry
	var first *conversation.Session
	if len(story.LeftOut) > 0 {
		leftOut := "Left out because it is too long: " + strings.Join(story.LeftOut, ", ") +
			". /export writes everything."
		list = append(list, views.NewNote(leftOut, views.ToneNews))
	}
	for _, part := range story.Chapters {
		if from, _ := c.log.FindChapter(part.ID); from >= 0 {
			continue
		}
		chapter := append([]views.Entry{chapterEntry(part)}, c.messageEntries(part, part.TellMessages())...)
		if first == nil {
			first, chapter[0].Name = part, ""
		}
		list = append(append(list, chapter...), c.endingEntries(part)...)
	}
	if first == nil {
		return
	}
	if chapter, _ := c.log.FindChapter(c.current.Session.ID); chapter >= 0 {
		c.log.Entries[chapter].Name = c.current.Session.Machine.Goal
	}
	c.log.SetOpening(c.env.portraits.OpeningCard(c.current.User, first.Machine))
	index := 0
	if c.log.HasOpening() {
		index = 1
	}
	c.log.InsertEntries(index, list)
	before := fmt.Sprintf(" Before this: %s, %s messages. PgUp or /history goes there.",
		conversation.CountWords(len(story.Chapters), "part"), terminal.GroupThousands(story.CountMessages()))
	c.log.ReplaceNote(goingOn, goingOn+before)
}

func chapterEntry(session *conversation.Session) views.Entry {
	machine := session.Machine
	return views.Entry{Kind: views.ChapterEntry, Text: machine.Title, Name: machine.Goal, Session: session.ID}
}

func (c *chat) messageEntries(session *conversation.Session, messages []conversation.ToldMessage) []views.Entry {
	list := make([]views.Entry, 0, len(messages))
	for i, message := range messages {
		list = append(list, c.sessionEntry(session, message.Role, message.Content))
		isPlainOpening := i == 0 && message.Before.Score == message.After.Score
		if message.Role == wire.RoleUser || isPlainOpening {
			continue
		}
		if line, tone := changeNote(session.Machine, message.Before, message.After); line != "" {
			list = append(list, views.NewNote(line, tone))
		}
	}
	return list
}

func (c *chat) endingEntries(session *conversation.Session) []views.Entry {
	if !session.Standing.IsFinished() {
		return nil
	}
	before := conversation.Standing{Redirects: -1}
	if messages := session.TellMessages(); len(messages) > 0 {
		before = messages[len(messages)-1].Before
	}
	news := c.current.User.Persona.TellEnding(session, before, nil)
	if endings := c.current.User.FoundWords(); endings != "" && session == c.current.Session {
		news.Told = append(news.Told, playwords.FoundSoFar(endings))
	}
	if hint := session.TakeBackHint(); hint != "" && session == c.current.Session {
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

func (c *chat) addEntries(list []views.Entry) {
	for _, e := range list {
		c.log.AddEntry(e)
	}
}

func (c *chat) messageEntry(role, text string) views.Entry {
	return c.sessionEntry(c.current.Session, role, text)
}

func (c *chat) sessionEntry(session *conversation.Session, role, text string) views.Entry {
	kind := views.CharacterTurn
	if role == wire.RoleUser {
		kind = views.PlayerTurn
	}
	name := conversation.SpeakerName(c.current.User, session, role)
	return views.Entry{Kind: kind, Name: name, Text: strings.TrimSpace(terminal.CleanLines(text))}
}

const saidElsewhere = "Messages from another window:"

func (c *chat) showMeanwhile(m *conversation.Meanwhile) {
	c.current.Session.ID, c.current.Session.Messages = m.Session.ID, m.Session.Messages
	if len(m.Earlier) == 0 {
		return
	}
	list := []views.Entry{views.NewNote(saidElsewhere, views.ToneNews)}
	list = append(list, c.messageEntries(c.current.Session, m.Earlier)...)
	c.log.InsertEntries(c.log.LastTurn(), list)
}

func (c *chat) searchMessages(words string) tea.Cmd {
	return c.readStory(func() tea.Cmd {
		foot := "Enter goes there, " + c.env.keys.Copy.Help().Key + " copies, " + c.messageKeyWords() + ", Esc"
		c.openTurns("What was said", foot, words, func(turn int) (tea.Cmd, bool) {
			c.log.ShowEntry(turn)
			return nil, true
		})
		return nil
	})
}

func (c *chat) messageKeyWords() string {
	var words []string
	for _, row := range []struct {
		binding key.Binding
		action  string
	}{{c.env.keys.TakeBack, "takes back"}, {c.env.keys.Reword, "rewords"}, {c.env.keys.Fork, "forks"}} {
		if len(row.binding.Keys()) > 0 {
			words = append(words, row.binding.Help().Key+" "+row.action)
		}
	}
	return strings.Join(words, ", ")
}

func (c *chat) openTurns(title, foot, words string, choose func(entry int) (tea.Cmd, bool)) {
	turns := c.log.ListTurns()
	choices := make([]views.Choice, len(turns))
	for i, turn := range turns {
		e := &c.log.Entries[turn]
		choices[i] = views.Choice{Title: e.Name + ":", About: terminal.Clean(e.Text), Tag: strconv.Itoa(i + 1)}
	}
	list := views.NewList(c.env.st, c.env.keys, choices, "search")
	list.Dense, list.Excerpt = true, true
	list.BeginSearch()
	list.Search.SetValue(words)
	list.NarrowList()
	c.overlay = &views.ListOverlay{
		Menu: list, Close: c.env.keys.Search, Title: title, Foot: foot,
		Choose: func(i int) (tea.Cmd, bool) { return choose(turns[i]) },
		Also: func(press tea.KeyMsg, i int) (tea.Cmd, bool, bool) {
			if i < 0 {
				return nil, false, false
			}
			if key.Matches(press, c.env.keys.Copy) {
				return c.copyTurn(turns[i]), true, true
			}
			cmd, handled := c.handleMessageKey(press, turns[i])
			return cmd, handled, handled
		},
	}
}

func (c *chat) copyMessage(number string) tea.Cmd {
	turns := c.log.ListTurns()
	if number == "" {
		c.openTurns("Copy a message", "Enter copies, letters search, Esc goes back", "",
			func(entry int) (tea.Cmd, bool) { return c.copyTurn(entry), true })
		return nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(turns) {
		c.trouble = fmt.Sprintf("message %q does not exist: write a number from 1 (the newest) to %d",
			terminal.Clean(number), len(turns))
		return nil
	}
	return c.copyTurn(turns[n-1])
}

func (c *chat) copyChosen() tea.Cmd {
	if chosen := c.log.Chosen; chosen > 0 && chosen <= len(c.log.Entries) {
		return c.copyTurn(chosen - 1)
	}
	for _, i := range c.log.ListTurns() {
		if c.log.Entries[i].Kind == views.CharacterTurn {
			return c.copyTurn(i)
		}
	}
	c.trouble = "there are no messages to copy yet"
	return nil
}

func (c *chat) copyTurn(entry int) tea.Cmd {
	e := &c.log.Entries[entry]
	return c.copyText(fmt.Sprintf("what %s said (%d characters)", e.Name, terminal.CountCharacters(e.Text)), e.Text)
}

// copyText copies text to the system clipboard, and to tmux or the terminal. The terminal's
// clipboard (OSC 52) also works over ssh.
func (c *chat) copyText(subject, text string) tea.Cmd {
	c.trouble = ""
	return c.runAsync(func(ctx context.Context) func() tea.Cmd {
		news, err := "", errNoTmux
		if c.env.opts.CopyTmux != nil {
			news = "copied to tmux (its prefix and ] paste it) and sent to your terminal: "
			err = c.env.opts.CopyTmux(ctx, text)
		}
		if err != nil {
			news = "sent to your terminal's clipboard, paste to check: "
			err = terminal.CopyThroughTerminal(c.env.opts.Out, text)
			if c.env.opts.Multiplexed {
				news = "sent to tmux; if you cannot paste it, run tmux set -s set-clipboard on: "
			}
		}
		if c.env.opts.Copy != nil && c.env.opts.Copy(ctx, text) == nil {
			news, err = "copied ", nil
		}
		return func() tea.Cmd {
			if err != nil {
				c.trouble = "not copied: " + c.env.requester.ExplainError(err)
				return nil
			}
			c.news = news + subject
			return nil
		}
	})
}

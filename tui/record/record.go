// Package record exports a player's conversation with a persona as Markdown, JSON or HTML.
// ReadRecord reads the conversation from a service. ExportRecord, SavePlay and CompareBranches
// implement commands of the chat. The caller provides the functions that write files.
package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// Record is the conversation of a player and a persona in one session.
type Record struct {
	PersonaID    string
	PersonaName  string
	Description  string
	PlayerName   string
	PlayerGender string
	Chapters     []Chapter
	// Persona is the response of the service.
	Persona wire.FullPersona
}

// Chapter is the last conversation in one machine. Earlier conversations are not stored.
type Chapter struct {
	MachineID  string
	MachineKey string
	Title      string
	wire.History

	machine *conversation.Machine
}

// RecordSource contains the requests of ReadRecord.
type RecordSource interface {
	FullPersona(ctx context.Context, persona string) (wire.FullPersona, error)
	Progress(ctx context.Context, persona, userSession string) (wire.Progress, error)
	History(ctx context.Context, persona, userSession, machine string) (wire.History, error)
}

// ErrNothingSaid means that the conversation is empty.
var ErrNothingSaid = errors.New("nothing has been said yet")

// ReadRecord reads a conversation, or returns ErrNothingSaid for an empty conversation.
func ReadRecord(ctx context.Context, s RecordSource, persona, userSession string) (*Record, error) {
	full, err := s.FullPersona(ctx, persona)
	if err != nil {
		return nil, err
	}
	progress, err := s.Progress(ctx, persona, userSession)
	if err != nil {
		return nil, err
	}
	c := conversation.NewPersona(persona, full)
	r := &Record{
		PersonaID: c.ID, PersonaName: full.Persona.Name, Description: full.Persona.Description, Persona: full,
	}
	for _, id := range conversation.ListEntered(progress) {
		h, err := s.History(ctx, persona, userSession, id)
		switch {
		case wire.ErrorStatus(err) == http.StatusNotFound: // reset in the meantime
		case err != nil:
			return nil, fmt.Errorf("reading the messages of %s: %w", c.FindMachine(id).Title, err)
		default:
			m := c.FindMachine(id)
			r.PlayerName, r.PlayerGender = cmp.Or(h.PlayerName, r.PlayerName), cmp.Or(h.PlayerGender, r.PlayerGender)
			r.Chapters = append(r.Chapters, Chapter{
				MachineID: m.ID, MachineKey: m.Key, Title: m.Title, History: h, machine: m,
			})
		}
	}
	if len(r.Chapters) == 0 {
		return nil, ErrNothingSaid
	}
	slices.SortStableFunc(r.Chapters, func(a, b Chapter) int { return a.StartedAt.Compare(b.StartedAt.Time) })
	return r, nil
}

// Messages returns the number of messages.
func (r *Record) Messages() int {
	n := 0
	for i := range r.Chapters {
		n += len(r.Chapters[i].Messages)
	}
	return n
}

// Begun returns the time of the first chapter's start.
func (r *Record) Begun() time.Time { return r.Chapters[0].StartedAt.Time }

// ToldMessage is a message for display. All texts are clean.
type ToldMessage struct {
	Name   string
	Player bool
	Text   string
	Notes  []string
}

// Tell returns the messages of a chapter, with notes about changes of state and score.
func (r *Record) Tell(ch *Chapter) []ToldMessage {
	list := make([]ToldMessage, len(ch.Messages))
	before := conversation.Standing{State: ch.machine.InitialState()}
	for i, m := range ch.Messages {
		text := strings.TrimSpace(terminal.CleanLines(m.Content))
		list[i] = ToldMessage{Name: r.speakerName(m.Role), Player: m.Role == wire.RoleUser, Text: text}
		if list[i].Player {
			continue
		}
		after := conversation.Standing{State: m.StateKeyAtTime, Score: m.ScoreAtTime}
		if i == len(ch.Messages)-1 && ch.Outcome != nil {
			after = conversation.Standing{
				State: ch.CurrentState, Score: ch.Score, Outcome: *ch.Outcome, Ending: terminal.Clean(ch.Ending),
			}
		}
		if i > 0 {
			if line := ch.machine.ChangeLine(before, after); line != "" {
				list[i].Notes = append(list[i].Notes, line)
			}
			if after.IsFinished() {
				list[i].Notes = append(list[i].Notes, after.EndingTitle())
			}
		}
		before = after
	}
	return list
}

func (r *Record) speakerName(role string) string {
	if role == wire.RoleUser {
		return cmp.Or(terminal.Clean(r.PlayerName), "Player")
	}
	return cmp.Or(terminal.Clean(r.PersonaName), "Character")
}

func (r *Record) bylineWords() string {
	line := "Played by " + r.speakerName(wire.RoleUser)
	if !r.Begun().IsZero() {
		line += ", " + r.Begun().Format("2 January 2006")
	}
	return line + "."
}

func readPlayed(ctx context.Context, d *conversation.Requester, user *conversation.UserSession) (*Record, error) {
	ctx, cancel := context.WithTimeout(ctx, d.CallTimeout)
	defer cancel()
	return ReadRecord(ctx, d.Service, user.Persona.ID, user.Saved.UserSessionID)
}

package conversation

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// ToldMessage is a message with the standing before and after.
type ToldMessage struct {
	wire.HistoryMessage
	Before, After Standing
}

// TellMessages returns the messages with the standing before and after each. Redirects is counted
// from the decisions, and is 0 without decisions.
func (session *Session) TellMessages() []ToldMessage {
	messages := make([]ToldMessage, len(session.Messages))
	standing := Standing{State: session.Machine.InitialState()}
	for i, m := range session.Messages {
		messages[i] = ToldMessage{m, standing, standing}
		if m.Role != wire.RoleAssistant {
			continue
		}
		messages[i].After = standing.afterMessage(m)
		if i == len(session.Messages)-1 {
			messages[i].After = session.Standing
		}
		standing = messages[i].After
	}
	return messages
}

func (s Standing) afterMessage(m wire.HistoryMessage) Standing {
	decision := personas.Decision("")
	if m.Decision != nil {
		decision = personas.Decision(*m.Decision)
	}
	after := Standing{State: m.StateKeyAtTime, Score: m.ScoreAtTime, Redirects: s.Redirects}
	switch {
	case decision == personas.DecidePass || after.State != s.State:
		after.Redirects = 0
	case decision == personas.DecideRedirect:
		after.Redirects++
	}
	return after
}

// ListEntered returns the ids of the machines that a player has entered.
func ListEntered(p wire.Progress) []string {
	var ids []string
	add := func(id string) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, step := range p.RoutePath {
		add(step.MachineID)
	}
	for _, a := range p.AvailableMachines {
		if a.HasSession {
			add(a.MachineID)
		}
	}
	return ids
}

// Limits of ReadStory. Older parts over a limit are left out.
const (
	maxStoryMessages = 20_000
	maxStoryBytes    = 32 << 20
)

// Story contains the player's earlier conversations, one chapter for each part.
type Story struct {
	Chapters []*Session // oldest first
	LeftOut  []string   // titles
}

// CountMessages returns the number of messages in all chapters.
func (s *Story) CountMessages() int {
	n := 0
	for _, chapter := range s.Chapters {
		n += len(chapter.Messages)
	}
	return n
}

// ReadStory reads the parts that a player has entered, except the present one.
func (r *Requester) ReadStory(ctx context.Context, user *UserSession, present string) (*Story, error) {
	story, messages, bytes := &Story{}, 0, 0
	if len(user.Persona.Machines) == 1 {
		return story, nil
	}
	asking, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	progress, err := r.Service.Progress(asking, user.Persona.ID, user.Saved.UserSessionID)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Backward(ListEntered(progress)) {
		m := user.Persona.FindMachine(id)
		switch {
		case m.ID == present:
			continue
		case messages >= maxStoryMessages || bytes >= maxStoryBytes:
			story.LeftOut = append(story.LeftOut, m.Title)
			continue
		}
		chapter, err := r.readChapter(ctx, user, m)
		if wire.ErrorStatus(err) == http.StatusNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		for i := range chapter.Messages {
			bytes += len(chapter.Messages[i].Content)
		}
		messages += len(chapter.Messages)
		story.Chapters = append(story.Chapters, chapter)
	}
	slices.Reverse(story.LeftOut)
	slices.Reverse(story.Chapters)
	slices.SortStableFunc(story.Chapters, func(a, b *Session) int { return a.StartedAt.Compare(b.StartedAt) })
	return story, nil
}

func (r *Requester) readChapter(ctx context.Context, user *UserSession, m *Machine) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	h, err := r.Service.History(ctx, user.Persona.ID, user.Saved.UserSessionID, m.ID)
	if err != nil {
		return nil, err
	}
	return sessionOf(m, h), nil
}

// ReadWholeStory reads all parts that a player has entered. The present part is the last chapter.
func (r *Requester) ReadWholeStory(ctx context.Context, user *UserSession, session *Session) (*Story, error) {
	story, err := r.ReadStory(ctx, user, session.Machine.ID)
	if err != nil {
		return nil, err
	}
	now, err := r.readChapter(ctx, user, session.Machine)
	if err != nil {
		return nil, err
	}
	story.Chapters = append(story.Chapters, now)
	return story, nil
}

// ListCarried describes the variables that a machine takes over from other machines. Unset and
// initial values are left out.
func (p *Persona) ListCarried(m *Machine, vars map[string]string) []string {
	var lines []string
	for _, key := range m.inputs {
		value := strings.TrimSpace(terminal.Clean(terminal.FirstLine(strings.TrimSpace(vars[key]))))
		if value != "" && value != strings.TrimSpace(p.variables[key].Value) {
			lines = append(lines, p.variableTitle(key)+": “"+strings.TrimRight(value, ".")+"”")
		}
	}
	return lines
}

func (p *Persona) variableTitle(key string) string {
	const longest = 24
	about, _, _ := strings.Cut(terminal.Clean(p.variables[key].Description), ". ")
	about = strings.TrimRight(about, ". ")
	if about != "" && terminal.CountCharacters(about) <= longest {
		return about
	}
	words := strings.FieldsFunc(terminal.Clean(key), func(r rune) bool { return r == '_' || r == '-' })
	return Capitalize(strings.Join(words, " "))
}

// ListAllCarried formats all variables as sorted lines "key: value".
func ListAllCarried(vars map[string]string) []string {
	var lines []string
	for name, value := range vars {
		if value = terminal.Clean(terminal.FirstLine(value)); value == "" {
			value = "nothing"
		}
		lines = append(lines, terminal.Clean(name)+": "+value)
	}
	slices.Sort(lines)
	return lines
}

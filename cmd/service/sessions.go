package service

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// SessionOptions holds the arguments that select a session.
type SessionOptions struct {
	*Access
	Named   string
	Session string
}

// SessionNames explains the argument SESSION in the help of commands.
const SessionNames = `SESSION is a session that this machine remembers, by its label, its id or the
beginning of it; a persona means its last session. Name any other session by its
persona and --session.`

// AddSessionFlag adds --session.
func (o *SessionOptions) AddSessionFlag(c *cobra.Command) {
	c.Flags().StringVar(&o.Session, "session", "", "`ID` of the player's session with the given persona")
}

func recallNamed(s *Service, persona, named string) (settings.Session, bool, error) {
	list, err := s.Sessions.List(s.Address)
	if err != nil {
		return settings.Session{}, false, err
	}
	if persona != "" {
		list = slices.DeleteFunc(list, func(k settings.Session) bool { return k.PersonaID != persona })
	}
	found := FindNamed(list, named, func(k settings.Session) (id, label string) { return k.UserSessionID, k.Label })
	switch {
	case len(found) == 1:
		return found[0], true, nil
	case len(found) > 1:
		err := fmt.Errorf("%d sessions match %q", len(found), named)
		return settings.Session{}, false, &cli.Failure{Code: cli.ExitNo, Err: err, Hint: sessionsText(found)}
	}
	return settings.Session{}, false, nil
}

// FindNamed returns the item with a matching id, or else the items with a matching label.
// Abbreviated ids match last.
func FindNamed[T any](list []T, named string, names func(T) (id, label string)) []T {
	var byLabel, byBeginning []T
	for _, item := range list {
		id, label := names(item)
		switch {
		case id == named:
			return []T{item}
		case label != "" && plaintext.SameName(label, named):
			byLabel = append(byLabel, item)
		case len(named) >= MinIDLength && strings.HasPrefix(id, strings.ToLower(named)):
			byBeginning = append(byBeginning, item)
		}
	}
	if byLabel != nil {
		return byLabel
	}
	return byBeginning
}

func sessionsText(list []settings.Session) string {
	text := "choose a session by its id:"
	for _, k := range list[:min(len(list), MaxCandidates)] {
		text += fmt.Sprintf("\n    %s  %s", terminal.Clean(k.UserSessionID), terminal.Clean(SessionPersonaName(k)))
		if k.Label != "" {
			text += ", " + terminal.Clean(k.Label)
		}
	}
	return text
}

// SessionPersonaName returns the name or else the id of a session's persona.
func SessionPersonaName(k settings.Session) string {
	return cmp.Or(k.PersonaName, k.PersonaID)
}

// RecallSession returns the session that --session selects, or else the last session with the
// persona. An unknown id is accepted, because the session may be from another machine.
func RecallSession(s *Service, persona, named string) (settings.Session, bool, error) {
	if named == "" {
		return s.Sessions.Recall(s.Address, persona)
	}
	known, ok, err := recallNamed(s, persona, named)
	if err == nil && !ok {
		known = settings.Session{PersonaID: persona, UserSessionID: named}
	}
	return known, true, err
}

// ConnectNamed returns the id of a persona. named may be a remembered session, returned as known.
func ConnectNamed(
	ctx context.Context, access *Access, named string,
) (s *Service, id string, known settings.Session, err error) {
	if s, err = access.Connect(); err != nil {
		return nil, "", known, err
	}
	known, ok, err := recallNamed(s, "", named)
	if ok || err != nil {
		return s, known.PersonaID, known, err
	}
	id, err = s.FindNearPersona(ctx, named)
	return s, id, known, err
}

// FindSession returns the selected session. Remembered sessions take precedence.
func (o *SessionOptions) FindSession(ctx context.Context) (*Service, settings.Session, error) {
	s, err := o.Connect()
	if err != nil {
		return nil, settings.Session{}, err
	}
	if o.Session == "" {
		known, ok, err := recallNamed(s, "", o.Named)
		if err != nil || ok {
			return s, known, err
		}
	}
	id, err := o.findPersonaID(ctx, s)
	if err != nil {
		return nil, settings.Session{}, err
	}
	known, ok, err := RecallSession(s, id, o.Session)
	if err != nil {
		return nil, settings.Session{}, err
	}
	if !ok {
		err := fmt.Errorf("no session with %s is remembered on this machine", o.Named)
		return nil, settings.Session{}, &cli.Failure{Code: cli.ExitNo, Err: err,
			Hint: "see `parley session list`, begin a session with `parley chat`, or select one with --session"}
	}
	return s, known, nil
}

func (o *SessionOptions) findPersonaID(ctx context.Context, s *Service) (string, error) {
	list, err := s.Sessions.List(s.Address)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, k := range list {
		if k.PersonaName != "" && plaintext.SameName(k.PersonaName, o.Named) && !slices.Contains(ids, k.PersonaID) {
			ids = append(ids, k.PersonaID)
		}
	}
	if len(ids) == 1 {
		return ids[0], nil
	}
	return s.FindNearPersona(ctx, o.Named)
}

// DescribeSession returns the description of a session for questions and messages.
func DescribeSession(k settings.Session) string {
	text := "the session with " + terminal.Clean(SessionPersonaName(k))
	if k.Label != "" {
		text = fmt.Sprintf("%q, a session with %s", terminal.Clean(k.Label), terminal.Clean(SessionPersonaName(k)))
	}
	return text
}

// AddMachineName adds --machine to a 404 error, because the response does not name the machine.
func AddMachineName(machine string, err error) error {
	if machine != "" && wire.ErrorStatus(err) == http.StatusNotFound {
		return fmt.Errorf("--machine %s: %w", machine, err)
	}
	return err
}

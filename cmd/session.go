package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/tui/terminal"
)

func newSessionCmd(a *app) *cobra.Command {
	return newGroupCmd("session", "List, read, export and begin again what you have played",
		newSessionListCmd(a, runSessionList),
		newSessionHistoryCmd(a, runSessionHistory),
		newSessionExportCmd(a, runSessionExport),
		newSessionResetCmd(a, runSessionReset),
		newSessionRenameCmd(a, runSessionRename),
		newSessionDeleteCmd(a, runSessionDelete),
	)
}

// sessionOptions name one session for all commands about one.
type sessionOptions struct {
	*app
	named   string
	session string // --session
}

const sessionNames = `SESSION is a session that this machine remembers, by its id, the beginning of one, or
its label; or a persona, and then it is the last session with it. A session that is
not remembered is named by its persona and --session.`

func (o *sessionOptions) add(c *cobra.Command) {
	c.Flags().StringVar(&o.session, "session", "", "the player's session `ID` with the persona that was named")
}

// recallNamed finds a remembered session with a persona by its id, its label, or
// the beginning of its id. Any persona is meant by "".
func (s *service) recallNamed(persona, named string) (config.Session, bool, error) {
	list, err := s.sessions.List(s.address)
	if err != nil {
		return config.Session{}, false, err
	}
	if persona != "" {
		list = slices.DeleteFunc(list, func(k config.Session) bool { return k.PersonaID != persona })
	}
	for _, fits := range []func(k config.Session) bool{
		func(k config.Session) bool { return k.UserSessionID == named },
		func(k config.Session) bool { return k.Label != "" && sameName(k.Label, named) },
		func(k config.Session) bool {
			return len(named) >= leastID && strings.HasPrefix(k.UserSessionID, strings.ToLower(named))
		},
	} {
		found := slices.DeleteFunc(slices.Clone(list), func(k config.Session) bool { return !fits(k) })
		switch {
		case len(found) == 1:
			return found[0], true, nil
		case len(found) > 1:
			return config.Session{}, false, &failure{code: exitNo, err: fmt.Errorf("%d sessions are called %q or begin so", len(found), named), hint: sessionsText(found)}
		}
	}
	return config.Session{}, false, nil
}

// sessionsText lists what could be meant.
func sessionsText(list []config.Session) string {
	text := "name one by its id:"
	for _, k := range list[:min(len(list), maxCandidates)] {
		text += fmt.Sprintf("\n    %s  %s", terminal.Clean(k.UserSessionID), terminal.Clean(personaOf(k)))
		if k.Label != "" {
			text += ", " + terminal.Clean(k.Label)
		}
	}
	return text
}

// personaOf is what a session's persona is called, its id where the name is not
// known.
func personaOf(k config.Session) string {
	if k.PersonaName != "" {
		return k.PersonaName
	}
	return k.PersonaID
}

// recall gives the session with a persona that --session names, else the present
// one. One that was named and is not remembered is believed: it may be from another
// machine.
func (s *service) recall(persona, named string) (config.Session, bool, error) {
	if named == "" {
		return s.sessions.Recall(s.address, persona)
	}
	known, ok, err := s.recallNamed(persona, named)
	if err == nil && !ok {
		known = config.Session{PersonaID: persona, UserSessionID: named}
	}
	return known, true, err
}

// locate finds the session that a command is about. A persona's name is looked up
// among those that are remembered before the service is asked.
func (o *sessionOptions) locate(ctx context.Context) (*service, config.Session, error) {
	s, err := o.connect()
	if err != nil {
		return nil, config.Session{}, err
	}
	if o.session == "" {
		known, ok, err := s.recallNamed("", o.named)
		if err != nil || ok {
			return s, known, err
		}
	}
	id, err := o.personaOfSession(ctx, s)
	if err != nil {
		return nil, config.Session{}, err
	}
	known, ok, err := s.recall(id, o.session)
	if err != nil {
		return nil, config.Session{}, err
	}
	if !ok {
		return nil, config.Session{}, &failure{code: exitNo, err: fmt.Errorf("no session with %s is remembered on this machine", o.named),
			hint: "see `parley session list`, begin one with `parley chat`, or name one with --session"}
	}
	return s, known, nil
}

// personaOfSession is the id of the persona that was named: one that is
// remembered, else one of the service.
func (o *sessionOptions) personaOfSession(ctx context.Context, s *service) (string, error) {
	list, err := s.sessions.List(s.address)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, k := range list {
		if k.PersonaName != "" && sameName(k.PersonaName, o.named) && !slices.Contains(ids, k.PersonaID) {
			ids = append(ids, k.PersonaID)
		}
	}
	if len(ids) == 1 {
		return ids[0], nil
	}
	return s.findNear(ctx, o.named)
}

// called says which session is meant, for questions and answers.
func called(k config.Session) string {
	text := "the session with " + terminal.Clean(personaOf(k))
	if k.Label != "" {
		text = fmt.Sprintf("%q, a session with %s", terminal.Clean(k.Label), terminal.Clean(personaOf(k)))
	}
	return text
}

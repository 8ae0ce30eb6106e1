package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type sessionListOptions struct {
	*service.Access
	limit int
	owned ownedFilters
	json  cli.JSONFlag
}

// A ListedSession is an item in the output of `parley session list --json`.
type ListedSession struct {
	PersonaID     string    `json:"persona_id"`
	PersonaName   string    `json:"persona_name"`
	UserSessionID string    `json:"user_session_id"`
	Label         string    `json:"label"`
	PlayerName    string    `json:"player_name"`
	PlayerGender  string    `json:"player_gender"`
	UsedAt        time.Time `json:"used_at"`
	// Present is true if the next chat with the persona continues this session.
	Present bool `json:"present"`
	// Known is "yes" or "no" as the service answers, or "unknown" if the service is unreachable.
	Known             string  `json:"known"`
	Machine           *string `json:"machine"`
	TotalScore        *int    `json:"total_score"`
	CompletedMachines *int    `json:"completed_machines"`
}

func newSessionListCmd(access *service.Access) *cobra.Command {
	o := &sessionListOptions{Access: access}
	c := &cobra.Command{
		Use:   "list",
		Short: "List the sessions that this machine remembers, the last used first",
		Long: `List the remembered sessions with personas of this server, the last used first, with
their progress. A star marks the session that the next chat with its persona
continues.

--all-players asks the server for the sessions of all players with a persona of yours,
those begun last first. It does not say who the players are, and has no messages. --json
then prints {"sessions": [...]}.`,
		Example: `  parley session list
  parley session list --json persona_name,label,user_session_id
  parley session list --persona Biscuit --all-players --outcome REJECT --since 48h`,
		Args: cli.ExactArgs(),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.owned.check(c, o.limit); err != nil {
				return err
			}
			return runSessionList(c.Context(), o)
		},
	}
	c.Flags().IntVar(&o.limit, "limit", defaultSessions, "the most to list, `N`")
	o.owned.addFlags(c)
	o.json.AddFlags(c, struct {
		ListedSession
		OwnedSessions
	}{})
	return c
}

// defaultSessions is low, because each session takes one of 120 requests per minute.
const defaultSessions = 20

func runSessionList(ctx context.Context, o *sessionListOptions) error {
	if o.limit < 1 {
		return cli.UsageError("--limit %d: must be at least 1", o.limit)
	}
	if o.owned.allPlayers {
		return runOwnedSessions(ctx, o)
	}
	s, err := o.Connect()
	if err != nil {
		return err
	}
	known, err := s.Sessions.List(s.Address)
	if err != nil {
		return err
	}
	if o.owned.persona != "" {
		id, err := s.FindNearPersona(ctx, o.owned.persona)
		if err != nil {
			return err
		}
		known = slices.DeleteFunc(known, func(k settings.Session) bool { return k.PersonaID != id })
	}
	list, err := fetchStandings(ctx, s, known[:min(len(known), o.limit)])
	if err != nil {
		return err
	}
	if o.json.On {
		return o.PrintJSON(o.json, list)
	}
	if len(list) == 0 && o.TTY.Out {
		o.Say("this machine has no session on %s: begin one with `parley chat`",
			terminal.Clean(s.Client.Address()))
		return nil
	}
	if more := len(known) - len(list); more > 0 && o.TTY.Out {
		defer o.Say("and %d more sessions: --limit %d lists all", more, len(known))
	}
	if o.TTY.Out && slices.ContainsFunc(list, func(l ListedSession) bool { return l.Present }) {
		defer o.Say("* is the session that `parley say` and `parley chat` continue")
	}
	columns := []string{"SESSION", "PERSONA", "LABEL", "PLAYER", "STANDS AT", "SCORE", "LAST USED"}
	return o.PrintTable(columns, o.sessionRows(list))
}

func fetchStandings(ctx context.Context, s *service.Service, known []settings.Session) ([]ListedSession, error) {
	list := make([]ListedSession, len(known))
	failures := make([]error, len(known))
	present := map[string]string{}
	for i, k := range known {
		list[i] = ListedSession{
			PersonaID: k.PersonaID, PersonaName: k.PersonaName, UserSessionID: k.UserSessionID, Label: k.Label,
			PlayerName: k.PlayerName, PlayerGender: k.PlayerGender, UsedAt: k.UsedAt, Known: "unknown",
		}
		if _, ok := present[k.PersonaID]; !ok {
			at, _, err := s.Sessions.Recall(s.Address, k.PersonaID)
			if err != nil {
				return nil, err
			}
			present[k.PersonaID] = at.UserSessionID
		}
		list[i].Present = present[k.PersonaID] == k.UserSessionID
	}
	jobs := make([]func(), len(list))
	for i := range list {
		jobs[i] = func() { failures[i] = fetchStanding(ctx, s, &list[i]) }
	}
	cli.RunParallel(4, jobs)
	return list, errors.Join(ctx.Err(), cmp.Or(failures...))
}

func fetchStanding(ctx context.Context, s *service.Service, listed *ListedSession) error {
	progress, err := s.Progress(ctx, listed.PersonaID, listed.UserSessionID)
	status := wire.ErrorStatus(err)
	switch {
	case service.IsUnreachable(err):
		return nil
	case status == http.StatusNotFound, status == http.StatusForbidden:
		listed.Known = "no"
		return nil
	case err != nil:
		return fmt.Errorf("read progress with %s: %w", terminal.Clean(listed.PersonaName), err)
	}
	if len(progress.RoutePath) == 0 {
		listed.Known = "no"
		return nil
	}
	listed.Known = "yes"
	listed.TotalScore, listed.CompletedMachines = &progress.TotalScore, new(len(progress.CompletedMachines))
	listed.Machine = new(currentName(progress))
	return nil
}

func currentName(p wire.Progress) string {
	last := p.RoutePath[len(p.RoutePath)-1]
	if p.CurrentMachineID == nil {
		return last.Name
	}
	for _, step := range p.RoutePath {
		if step.MachineID == *p.CurrentMachineID {
			return step.Name
		}
	}
	return last.Name
}

func (o *sessionListOptions) sessionRows(list []ListedSession) [][]string {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].UserSessionID
	}
	rows := make([][]string, len(list))
	for i, l := range list {
		id := l.UserSessionID
		if o.TTY.Out {
			id = shortID(id, ids)
		}
		persona := cmp.Or(l.PersonaName, l.PersonaID)
		if l.Present {
			persona += " *"
		}
		score := ""
		if l.TotalScore != nil {
			score = fmt.Sprint(*l.TotalScore)
		}
		used := o.ShownTime(l.UsedAt).Format(cli.MinuteLayout)
		rows[i] = []string{id, persona, l.Label, l.PlayerName, standsAt(l), score, used}
	}
	return rows
}

func standsAt(l ListedSession) string {
	switch {
	case l.Known == "no":
		return "(forgotten by the service)"
	case l.Machine == nil:
		return "(unknown)"
	}
	return *l.Machine
}

const minShownID = 8

func shortID(id string, all []string) string {
	for n := minShownID; n < len(id); n++ {
		alike := 0
		for _, other := range all {
			if strings.HasPrefix(other, id[:n]) {
				alike++
			}
		}
		if alike <= 1 {
			return id[:n]
		}
	}
	return id
}

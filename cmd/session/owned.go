package session

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type ownedFilters struct {
	allPlayers            bool
	outcome, state, since string
	version               int
	persona               string
}

// OwnedSessions is the output of `parley session list --all-players --json`.
type OwnedSessions struct {
	Sessions []wire.OwnedSession `json:"sessions"`
}

const maxOwnedSessions = 100_000

var allPlayersFlags = []string{"outcome", "state", "version", "since"}

func (o *ownedFilters) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.persona, "persona", "", "only sessions with this `PERSONA`")
	f.BoolVar(&o.allPlayers, "all-players", false,
		"list the sessions of all players with one of your personas (needs --persona)")
	f.StringVar(&o.outcome, "outcome", "",
		"with --all-players: only sessions that ended with this `OUTCOME`, or none for open sessions")
	f.StringVar(&o.state, "state", "", "with --all-players: only sessions in this `STATE`, by its key")
	f.IntVar(&o.version, "version", 0,
		"with --all-players: only sessions of this `VERSION` of the persona; version 1 was saved first")
	f.StringVar(&o.since, "since", "",
		"with --all-players: only sessions with a message since a `TIME`: a date, an RFC 3339 time, or an age such as 48h")
}

func (o *ownedFilters) check(c *cobra.Command, limit int) error {
	if o.allPlayers && o.persona == "" {
		return cli.UsageError("--all-players needs --persona: name one of your personas")
	}
	for _, name := range allPlayersFlags {
		if !o.allPlayers && c.Flags().Changed(name) {
			return cli.UsageError("--%s needs --all-players", name)
		}
	}
	if o.allPlayers && limit > maxOwnedSessions {
		return cli.UsageError("--limit %d: must be a number from 1 to %d with --all-players", limit, maxOwnedSessions)
	}
	return nil
}

func (o *ownedFilters) query(now time.Time, limit int) (client.SessionList, error) {
	list := client.SessionList{Outcome: o.outcome, State: o.state, Version: o.version, Limit: limit}
	if strings.EqualFold(o.outcome, wire.OutcomeNone) {
		list.Outcome = wire.OutcomeNone
	} else if o.outcome != "" {
		list.Outcome = strings.ToUpper(o.outcome)
		known := []personas.Outcome{personas.Accept, personas.Reject, personas.KickOut}
		if !slices.Contains(known, personas.Outcome(list.Outcome)) {
			return list, cli.UsageError("--outcome %q: must be ACCEPT, REJECT, KICK_OUT or none", o.outcome)
		}
	}
	if o.version < 0 {
		return list, cli.UsageError("--version %d: must be at least 1", o.version)
	}
	var err error
	list.Since, err = parseSince(o.since, now)
	return list, err
}

func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if age, err := time.ParseDuration(text); err == nil && age > 0 {
		return now.Add(-age), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	return time.Time{}, cli.UsageError("--since %q: must be a date such as 2026-05-01, "+
		"a time such as 2026-05-01T08:00:00Z, or an age such as 48h", text)
}

func runOwnedSessions(ctx context.Context, o *sessionListOptions) error {
	query, err := o.owned.query(o.Now(), o.limit+1) // detects further sessions
	if err != nil {
		return err
	}
	s, err := o.Connect()
	if err != nil {
		return err
	}
	id, err := s.FindNearPersona(ctx, o.owned.persona)
	if err != nil {
		return err
	}
	list, err := s.OwnedSessions(ctx, id, query)
	if err != nil {
		return fmt.Errorf("list the sessions of %s: %w", o.owned.persona, err)
	}
	if len(list) > o.limit {
		list = list[:o.limit]
		o.Say("only the last %s are listed: use --limit to list more", cli.Pluralize(len(list), "session"))
	}
	if o.json.On {
		if list == nil {
			list = []wire.OwnedSession{}
		}
		return o.PrintJSON(o.json, OwnedSessions{list})
	}
	if len(list) == 0 && o.TTY.Out {
		o.Say("no session matches")
		return nil
	}
	return o.PrintTable(
		[]string{"SESSION", "MACHINE", "STATE", "SCORE", "MESSAGES", "ENDING", "VERSION", "STARTED"}, o.ownedRows(list))
}

func (o *sessionListOptions) ownedRows(list []wire.OwnedSession) [][]string {
	rows := make([][]string, len(list))
	for i := range list {
		session := &list[i]
		rows[i] = []string{
			terminal.Clean(session.SessionID), terminal.Clean(session.MachineKey), terminal.Clean(session.CurrentState),
			strconv.Itoa(session.Score), strconv.Itoa(session.Turn), terminal.Clean(cli.ValueOr(session.Outcome, "")),
			strconv.Itoa(session.Version), o.ShownTime(session.StartedAt.Time).Format(cli.MinuteLayout),
		}
	}
	return rows
}

package cmd

import (
	"context"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/plaintext"
)

// askInTime returns the result of ask, or the zero value after completionWait. ask may continue in
// the background, because reading a keyring ignores the deadline.
func askInTime[T any](ctx context.Context, ask func(ctx context.Context) T) (answer T) {
	ctx, cancel := context.WithTimeout(ctx, completionWait)
	defer cancel()
	answers := make(chan T, 1)
	go func() { answers <- ask(ctx) }()
	select {
	case answer = <-answers:
	case <-ctx.Done():
	}
	return answer
}

// completeSessions returns the remembered sessions, most recently used first, as unique labels or
// as ids. If a persona is given, it returns only that persona's sessions.
func (w wordCompleter) completeSessions(ctx context.Context, given []string) []string {
	list := w.listSessionsWith(ctx, given)
	uses := map[string]int{}
	for _, k := range list {
		uses[plaintext.FoldName(k.Label)]++
	}
	var words []string
	for _, k := range list {
		about := strings.TrimPrefix(k.Label+", "+service.SessionPersonaName(k), ", ")
		switch id := k.UserSessionID; {
		case namesItself(k.Label) && uses[plaintext.FoldName(k.Label)] == 1:
			words = append(words, cli.DescribeCompletion(k.Label, service.SessionPersonaName(k)))
		case cli.IsCompletionWord(id):
			words = append(words, cli.DescribeCompletion(id, about+", "+cli.LocalTime(k.UsedAt).Format(cli.MinuteLayout)))
		}
	}
	return words
}

func (w wordCompleter) listSessionsWith(ctx context.Context, given []string) []settings.Session {
	list := askInTime(ctx, func(context.Context) []settings.Session {
		s, err := w.Connect()
		if err != nil {
			return nil
		}
		// Complete nothing if the sessions cannot be read.
		list, _ := s.Sessions.List(s.Address)
		return list
	})
	var of []settings.Session
	for _, k := range list {
		if len(given) == 0 || k.PersonaID == given[0] || plaintext.SameName(k.PersonaName, given[0]) {
			of = append(of, k)
		}
	}
	return of
}

func (w wordCompleter) listKeys(ctx context.Context) map[string]string {
	names := map[string]string{}
	s, err := w.Connect()
	if err != nil {
		return names
	}
	// Complete nothing if the request fails, for example without a sign-in.
	keys, _ := s.WithAttempts(1).Keys(ctx)
	for _, k := range keys {
		names[k.ID] = k.Name
	}
	return names
}

// completeMachines returns the machines in the given file. For a given persona it returns the
// machines that are open in the persona's last session.
func (w wordCompleter) completeMachines(ctx context.Context, given []string) []string {
	if len(given) == 0 {
		return nil
	}
	if isPersonaName(given[0]) {
		return readMachineKeys(w.Streams, given[0])
	}
	list := w.listSessionsWith(ctx, given)
	if len(list) == 0 {
		return nil
	}
	return askInTime(ctx, func(ctx context.Context) []string { return w.openMachines(ctx, list[0]) })
}

func (w wordCompleter) openMachines(ctx context.Context, k settings.Session) []string {
	s, err := w.Connect()
	if err != nil {
		return nil
	}
	machines, _ := s.WithAttempts(1).AvailableMachines(ctx, k.PersonaID, k.UserSessionID)
	var words []string
	for _, m := range machines {
		if cli.IsCompletionWord(m.MachineKey) {
			words = append(words, cli.DescribeCompletion(m.MachineKey, m.Name))
		}
	}
	return words
}

package cmd

import (
	"context"
	"strings"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/plaintext"
)

// askInTime returns an answer if it comes in the time that a completion waits, else the zero
// value. A question that waits for a keyring or a file may heed no deadline: it is then
// left running.
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

// completeSessions returns words for the remembered sessions, the last used first: a unique label,
// else the id with a description. If a persona is already given, it only returns its sessions.
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

// listSessionsWith returns the remembered sessions with the persona that is first in given,
// by its name or id, and all of them where nothing is given.
func (w wordCompleter) listSessionsWith(ctx context.Context, given []string) []settings.Session {
	list := askInTime(ctx, func(context.Context) []settings.Session {
		s, err := w.Connect()
		if err != nil {
			return nil
		}
		// A memory that cannot be read remembers nothing.
		list, _ := s.Sessions.List(s.Address)
		return list
	})
	var of []settings.Session
	for _, k := range list {
		if len(given) == 0 || k.PersonaID == given[0] || service.SameName(k.PersonaName, given[0]) {
			of = append(of, k)
		}
	}
	return of
}

// completeKeys returns the words that name API keys: their names, or their ids where several
// have one name.
func (w wordCompleter) completeKeys(ctx context.Context, typed string) []string {
	return nameWords(askInTime(ctx, w.listKeys), typed)
}

// listKeys returns the names of the user's API keys by id.
func (w wordCompleter) listKeys(ctx context.Context) map[string]string {
	names := map[string]string{}
	s, err := w.Connect()
	if err != nil {
		return names
	}
	// If the service refuses, for example without a sign-in, there are no names.
	keys, _ := s.WithRetry(client.RetryPolicy{Attempts: 1}).Keys(ctx)
	for _, k := range keys {
		names[k.ID] = k.Name
	}
	return names
}

// completeMachines returns the keys of machines: all of a given file, or those that are open to the
// last session with a given persona.
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

// openMachines returns the keys of the machines that are open to a session.
func (w wordCompleter) openMachines(ctx context.Context, k settings.Session) []string {
	s, err := w.Connect()
	if err != nil {
		return nil
	}
	machines, _ := s.WithRetry(client.RetryPolicy{Attempts: 1}).AvailableMachines(ctx, k.PersonaID, k.UserSessionID)
	var words []string
	for _, m := range machines {
		if cli.IsCompletionWord(m.MachineKey) {
			words = append(words, cli.DescribeCompletion(m.MachineKey, m.Name))
		}
	}
	return words
}

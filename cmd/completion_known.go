package cmd

import (
	"context"
	"strings"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/cmd/play"
	"github.com/parley-npc/parley/cmd/service"
)

// askInTime gives an answer if it comes while a completion waits, else none. What is
// asked may wait for a keyring or a file and heed no deadline: then it is left behind.
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

// completeSessions gives the words that name remembered sessions, the last used
// first: the label that one alone has, else the id, which says whose it is. A
// persona that was named before (of given) narrows them.
func (a wordCompleter) completeSessions(ctx context.Context, given []string) []string {
	list := a.listSessionsWith(ctx, given)
	uses := map[string]int{}
	for _, k := range list {
		uses[strings.ToLower(k.Label)]++
	}
	var words []string
	for _, k := range list {
		about := strings.TrimPrefix(k.Label+", "+play.PersonaName(k), ", ")
		switch id := k.UserSessionID; {
		case namesItself(k.Label) && uses[strings.ToLower(k.Label)] == 1:
			words = append(words, cli.DescribeCompletion(k.Label, play.PersonaName(k)))
		case isWord(id):
			words = append(words, cli.DescribeCompletion(id, about+", "+k.UsedAt.UTC().Format("2006-01-02 15:04")))
		}
	}
	return words
}

// listSessionsWith are the remembered sessions with the persona that stands first in
// given, by its name or id; all of them where nothing is given.
func (a wordCompleter) listSessionsWith(ctx context.Context, given []string) []config.Session {
	list := askInTime(ctx, func(context.Context) []config.Session {
		s, err := a.Connect()
		if err != nil {
			return nil
		}
		// A memory that cannot be read remembers nothing.
		list, _ := s.Sessions.List(s.Address)
		return list
	})
	var of []config.Session
	for _, k := range list {
		if len(given) == 0 || k.PersonaID == given[0] || service.SameName(k.PersonaName, given[0]) {
			of = append(of, k)
		}
	}
	return of
}

// completeKeys gives the words that name API keys: their names, and ids where a
// name is not one key's alone.
func (a wordCompleter) completeKeys(ctx context.Context, typed string) []string {
	return nameWords(askInTime(ctx, a.listKeys), typed)
}

// listKeys are the names of one's API keys by id.
func (a wordCompleter) listKeys(ctx context.Context) map[string]string {
	names := map[string]string{}
	s, err := a.Connect()
	if err != nil {
		return names
	}
	// A service that refuses, as without a sign-in, gives no names.
	keys, _ := s.WithRetry(client.RetryPolicy{Attempts: 1}).Keys(ctx)
	for _, k := range keys {
		names[k.ID] = k.Name
	}
	return names
}

// completeMachines gives the keys of the machines of what was named before: of a
// file, or those that are open to the last session with a persona.
func (a wordCompleter) completeMachines(ctx context.Context, given []string) []string {
	if len(given) == 0 {
		return nil
	}
	if isPersonaName(given[0]) {
		return readMachineKeys(a.Streams, given[0])
	}
	list := a.listSessionsWith(ctx, given)
	if len(list) == 0 {
		return nil
	}
	return askInTime(ctx, func(ctx context.Context) []string { return a.openMachines(ctx, list[0]) })
}

// openMachines are the keys of the machines that a session can go to.
func (a wordCompleter) openMachines(ctx context.Context, k config.Session) []string {
	s, err := a.Connect()
	if err != nil {
		return nil
	}
	machines, _ := s.WithRetry(client.RetryPolicy{Attempts: 1}).AvailableMachines(ctx, k.PersonaID, k.UserSessionID)
	var words []string
	for _, m := range machines {
		if isWord(m.MachineKey) {
			words = append(words, cli.DescribeCompletion(m.MachineKey, m.Name))
		}
	}
	return words
}

package cmd

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/plaintext"
)

// completionWait is the maximum time that a completion waits for the service.
const completionWait = 300 * time.Millisecond

// nameWords completes names. known maps ids to names. If a name is not unique or not safe to type,
// nameWords returns the id instead.
func nameWords(known map[string]string, typed string) []string {
	uses := map[string]int{}
	for _, name := range known {
		uses[plaintext.FoldName(name)]++
	}
	var words []string
	for _, id := range slices.Sorted(maps.Keys(known)) {
		if name := known[id]; uses[plaintext.FoldName(name)] > 1 || !namesItself(name) {
			words = append(words, cli.DescribeCompletion(id, name))
		} else {
			words = append(words, name)
		}
	}
	slices.Sort(words)
	return slices.DeleteFunc(words, func(word string) bool {
		return !strings.HasPrefix(strings.ToLower(word), strings.ToLower(typed))
	})
}

// namesItself reports whether a name can be typed as an argument and cannot be mistaken for a file
// or an id.
func namesItself(name string) bool {
	_, isID := service.ParsePersonaID(name)
	return cli.IsCompletionWord(name) && !isID && !personafiles.IsFile(name)
}

// listPersonas returns the names of personas that this machine remembers or the service lists.
func (w wordCompleter) listPersonas(ctx context.Context, typed string) map[string]string {
	known := askInTime(ctx, func(context.Context) map[string]string { return w.rememberedPersonas() })
	if strings.Trim(typed, "0123456789abcdef-") == "" {
		typed = "" // typed may be the beginning of an id, which is completed if two personas share a name
	}
	listed := askInTime(ctx, func(ctx context.Context) map[string]string {
		s, err := w.Connect()
		if err != nil {
			return nil
		}
		once := *s
		once.Client = s.WithAttempts(1)
		// Complete nothing if the request fails.
		names, _ := once.ListNames(ctx, typed)
		return names
	})
	names := map[string]string{}
	maps.Copy(names, known)
	maps.Copy(names, listed)
	return names
}

func (w wordCompleter) rememberedPersonas() map[string]string {
	names := map[string]string{}
	for _, known := range w.listSessions() {
		if known.PersonaName != "" {
			names[known.PersonaID] = known.PersonaName
		}
	}
	return names
}

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
	list := askInTime(ctx, func(context.Context) []settings.Session { return w.listSessions() })
	var of []settings.Session
	for _, k := range list {
		if len(given) == 0 || k.PersonaID == given[0] || plaintext.SameName(k.PersonaName, given[0]) {
			of = append(of, k)
		}
	}
	return of
}

func (w wordCompleter) listSessions() []settings.Session {
	s, err := w.Connect()
	if err != nil {
		return nil
	}
	// Complete nothing if the sessions cannot be read.
	list, _ := s.Sessions.List(s.Address)
	return list
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

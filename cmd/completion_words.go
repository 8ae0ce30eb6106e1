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

const completionWait = 300 * time.Millisecond

func nameWords(namesByID map[string]string, typed string) []string {
	uses := map[string]int{}
	for _, name := range namesByID {
		uses[plaintext.FoldName(name)]++
	}
	var words []string
	for _, id := range slices.Sorted(maps.Keys(namesByID)) {
		if name := namesByID[id]; uses[plaintext.FoldName(name)] > 1 || !isTypeableName(name) {
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

func isTypeableName(name string) bool {
	_, isID := service.ParsePersonaID(name)
	return cli.IsCompletionWord(name) && !isID && !personafiles.IsFile(name)
}

func (w wordCompleter) listPersonas(ctx context.Context, typed string) map[string]string {
	known := askInTime(ctx, func(context.Context) map[string]string { return w.rememberedPersonas() })
	if strings.Trim(typed, "0123456789abcdef-") == "" {
		typed = "" // possibly the beginning of an ID
	}
	listed := askInTime(ctx, func(ctx context.Context) map[string]string {
		s, err := w.Connect()
		if err != nil {
			return nil
		}
		once := *s
		once.Client = s.WithAttempts(1)
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

// askInTime lets ask continue after completionWait, because reading a keyring ignores ctx.
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
		case isTypeableName(k.Label) && uses[plaintext.FoldName(k.Label)] == 1:
			words = append(words, cli.DescribeCompletion(k.Label, service.SessionPersonaName(k)))
		case cli.IsCompletionWord(id):
			words = append(words, cli.DescribeCompletion(id, about+", "+cli.LocalTime(k.UsedAt).Format(cli.MinuteLayout)))
		}
	}
	return words
}

func (w wordCompleter) listSessionsWith(ctx context.Context, given []string) []settings.Session {
	list := askInTime(ctx, func(context.Context) []settings.Session { return w.listSessions() })
	var matching []settings.Session
	for _, k := range list {
		if len(given) == 0 || k.PersonaID == given[0] || plaintext.SameName(k.PersonaName, given[0]) {
			matching = append(matching, k)
		}
	}
	return matching
}

func (w wordCompleter) listSessions() []settings.Session {
	s, err := w.Connect()
	if err != nil {
		return nil
	}
	list, _ := s.Sessions.List(s.Address)
	return list
}

func (w wordCompleter) listKeys(ctx context.Context) map[string]string {
	names := map[string]string{}
	s, err := w.Connect()
	if err != nil {
		return names
	}
	keys, _ := s.WithAttempts(1).Keys(ctx)
	for _, k := range keys {
		names[k.ID] = k.Name
	}
	return names
}

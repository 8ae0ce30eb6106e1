package cmd

import (
	"bufio"
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/personas/wire"
)

// playerFlags say who plays.
type playerFlags struct {
	name, gender string
}

func (f *playerFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.name, "player-name", "", "how the character calls you, `NAME` (else the setting player_name, else your account's name)")
	c.Flags().StringVar(&f.gender, "player-gender", "", "female, male or non-binary, `GENDER` (else the setting player_gender, else non-binary)")
}

const defaultGender = "non-binary"

// resolve gives who plays in a new session: flag, setting, what is remembered of
// the last one, default.
func (f *playerFlags) resolve(a *environment, known config.Session) (config.Session, error) {
	s, err := a.settings()
	if err != nil {
		return known, err
	}
	known.PlayerName = cmp.Or(f.name, s.Get(config.PlayerName).Value, known.PlayerName)
	if known.PlayerName == "" {
		known.PlayerName = a.playerName(s)
	}
	known.PlayerGender = cmp.Or(f.gender, s.Get(config.PlayerGender).Value, known.PlayerGender, defaultGender)
	return known, checkPlayer(known)
}

func checkPlayer(p config.Session) error {
	if n := utf8.RuneCountInString(p.PlayerName); n > wire.MaxPlayerName {
		return usage("the player's name has %d characters, at most %d are taken: shorten --player-name", n, wire.MaxPlayerName)
	}
	if !slices.Contains(wire.Genders, p.PlayerGender) {
		return usage("the player's gender is %q, but it must be %s: set --player-gender or the setting player_gender", p.PlayerGender, strings.Join(wire.Genders, ", "))
	}
	return nil
}

// readLine reads one line from stdin, or gives up when the context ends.
func (a *streams) readLine(ctx context.Context) (string, error) {
	return await(ctx.Done(), func() (string, error) {
		text, err := bufio.NewReader(a.in).ReadString('\n')
		if err != nil && text == "" {
			return "", errNoAnswer
		}
		return text, nil
	})
}

// await reads something that may never come, or gives up when done is closed: a
// read that waits cannot be called back.
func await[T any](done <-chan struct{}, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
		fault any
	}
	results := make(chan result, 1)
	go func() {
		var got result
		defer func() {
			got.fault = recover()
			results <- got
		}()
		got.value, got.err = read()
	}()
	select {
	case got := <-results:
		if got.fault != nil {
			panic(got.fault) // Here somebody may catch it, who gives the terminal back.
		}
		return got.value, got.err
	case <-done:
		var none T
		return none, context.Canceled
	}
}

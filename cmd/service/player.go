package service

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/wire"
)

// PlayerFlags holds the flags about the player.
type PlayerFlags struct {
	Name, Gender string
}

// AddPlayerFlags adds --player-name and --player-gender.
func (f *PlayerFlags) AddPlayerFlags(c *cobra.Command) {
	c.Flags().StringVar(&f.Name, "player-name", "",
		"`NAME` that the character calls you (else the setting player_name, for which chat asks once, "+
			"else at a terminal the name of your account, else Traveller)")
	c.Flags().StringVar(&f.Gender, "player-gender", "",
		"your `GENDER`: female, male or non-binary (else the setting player_gender, else non-binary)")
}

// DefaultGender is the gender of a player who has not specified one.
const DefaultGender = "non-binary"

// ResolvePlayer sets the player in a session from flags, settings, the session or defaults.
func (f *PlayerFlags) ResolvePlayer(env *Environment, known settings.Session) (settings.Session, error) {
	s, err := env.Settings()
	if err != nil {
		return known, err
	}
	known.PlayerName = cmp.Or(f.Name, s.Get(settings.PlayerName).Value, known.PlayerName)
	if known.PlayerName == "" {
		known.PlayerName = env.PlayerName(s)
	}
	known.PlayerGender = cmp.Or(f.Gender, s.Get(settings.PlayerGender).Value, known.PlayerGender, DefaultGender)
	return known, checkPlayer(known)
}

// KeepPlayer stores the player's name and gender in the settings or the profile of the user.
func KeepPlayer(env *Environment, name, gender string) error {
	path, err := env.Dirs().UserFile()
	if err != nil {
		return err
	}
	s, err := env.Settings()
	if err != nil {
		return err
	}
	return settings.Edit(path, env.LockMarks(), func(src []byte) ([]byte, error) {
		for key, value := range map[settings.Key]string{settings.PlayerName: name, settings.PlayerGender: gender} {
			if value != "" && err == nil {
				src, err = putSetting(src, s, key, value)
			}
		}
		return src, err
	})
}

func putSetting(src []byte, s *settings.Settings, key settings.Key, value string) ([]byte, error) {
	if err := CheckSetting(key, value); err != nil {
		return nil, err
	}
	if s.Get(key).Source == settings.FromProfile {
		return settings.Put(src, value, "profiles", s.Get(settings.ProfileName).Value, string(key))
	}
	return settings.Put(src, value, string(key))
}

func checkPlayer(p settings.Session) error {
	if n := utf8.RuneCountInString(p.PlayerName); n > wire.MaxPlayerName {
		return cli.UsageError(
			"the player's name has %d characters, at most %d are allowed: shorten --player-name", n, wire.MaxPlayerName)
	}
	if !slices.Contains(wire.Genders, p.PlayerGender) {
		return cli.UsageError("the player's gender is %q, but it must be %s: "+
			"set --player-gender or the setting player_gender", p.PlayerGender, strings.Join(wire.Genders, ", "))
	}
	return nil
}

package chat

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// CompleteTheme completes the names of built-in and user-defined themes.
func CompleteTheme(access *service.Access) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		names := builtInThemes()
		for _, t := range settings.ReadThemes(access.Dirs(), names) {
			if t.Err == nil {
				names = append(names, t.Name)
			}
		}
		return cli.CompleteWords(names, typed)
	}
}

func builtInThemes() []string {
	var names []string
	for _, t := range views.Themes() {
		names = append(names, string(t))
	}
	return names
}

func readThemes(access *service.Access) []views.OwnTheme {
	var own []views.OwnTheme
	for _, t := range settings.ReadThemes(access.Dirs(), builtInThemes()) {
		one := views.OwnTheme{Name: views.Theme(terminal.Clean(t.Name)), Light: t.Light, Background: t.Background,
			Colours: t.Colours}
		if t.Err != nil { // an invalid file may have the name of another theme
			one.Name = views.Theme(terminal.Clean(filepath.Base(t.Path)))
			one.Trouble = terminal.Clean(strings.NewReplacer("theme "+t.Path+": ", "", "theme "+t.Path+":", "line ",
				"theme "+t.Path, "it", "\n", "; ").Replace(t.Err.Error()))
		}
		own = append(own, one)
	}
	return own
}

func (o *chatOptions) chooseTheme(s *settings.Settings, own []views.OwnTheme) (views.Theme, error) {
	theme := views.Theme(cmp.Or(o.theme, s.Get(settings.ChatTheme).Value))
	if slices.Contains(views.Themes(), theme) {
		return theme, nil
	}
	i := slices.IndexFunc(own, func(t views.OwnTheme) bool { return t.Name == theme })
	if i < 0 {
		return "", cli.UsageError("%w", o.explainMissing(theme))
	}
	for _, warning := range own[i].ListWarnings() {
		if o.isLineMode() {
			break
		}
		o.Say("theme %s: %s", theme, warning)
	}
	return theme, nil
}

func (o *chatOptions) explainMissing(theme views.Theme) error {
	for _, t := range settings.ReadThemes(o.Dirs(), builtInThemes()) {
		if t.Name == string(theme) {
			return t.Err
		}
	}
	folder, err := o.Dirs().ThemeFolder()
	if err != nil {
		return views.ErrTheme
	}
	return fmt.Errorf("%w, or a theme file in %s", views.ErrTheme, terminal.Clean(folder))
}

type givenFlag struct{ name, typed string }

func listGivenFlags(c *cobra.Command) []givenFlag {
	var given []givenFlag
	c.Flags().Visit(func(f *pflag.Flag) {
		typed := "--" + f.Name
		switch {
		case f.Value.Type() != "bool":
			typed += " " + plaintext.ShellWord(f.Value.String())
		case f.Value.String() != "true":
			typed += "=" + f.Value.String()
		}
		given = append(given, givenFlag{f.Name, typed})
	})
	return given
}

// The command that continues a chat omits these flags. A stored session has the values of
// flagsOfPlayer.
var (
	flagsOfOneChat = []string{"new", "machine", "llm-record"}
	flagsOfPlayer  = []string{"player-name", "player-gender"}
)

func (o *chatOptions) comeBackCommand(p *place, f conversation.Farewell) string {
	words := []string{"parley", "chat", o.personaWord(f, p.persona)}
	fleeting := p.service.ThrowAway
	for _, given := range o.given {
		if !slices.Contains(flagsOfOneChat, given.name) && (fleeting || !slices.Contains(flagsOfPlayer, given.name)) {
			words = append(words, given.typed)
		}
	}
	return strings.Join(words, " ")
}

func (o *chatOptions) sayFarewell(p *place, f conversation.Farewell) {
	if f.Persona == "" {
		return
	}
	command := o.comeBackCommand(p, f)
	if p.service.ThrowAway {
		o.Say("This chat was not saved. To start a new chat: %s", command)
		return
	}
	if f.HasDraft {
		o.Say("Your unfinished message is kept for the next chat.")
	}
	o.Say("To go on: %s", command)
}

func (o *chatOptions) personaWord(f conversation.Farewell, opened string) string {
	word := f.Persona
	switch {
	case o.named != "" && f.Persona == opened:
		word = o.named
	case isTypedEasily(f.Name) && !personafiles.IsFile(f.Name):
		word = f.Name
	}
	return plaintext.ShellWord(word)
}

func isTypedEasily(name string) bool {
	if name == "" || name != strings.TrimSpace(name) || name != terminal.Clean(name) {
		return false
	}
	return !strings.HasPrefix(name, "-") && !strings.ContainsAny(name, "\"`%$!")
}

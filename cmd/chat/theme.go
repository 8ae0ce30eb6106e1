package chat

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// CompleteTheme completes the names of the chat's themes, including the player's own.
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
		one := views.OwnTheme{Name: views.Theme(terminal.Clean(t.Name)), Light: t.Light, Background: t.Background, Colours: t.Colours}
		if t.Err != nil { // the theme's name may be that of another theme
			one.Name = views.Theme(terminal.Clean(filepath.Base(t.Path)))
			one.Trouble = terminal.Clean(strings.NewReplacer("theme "+t.Path+": ", "", "theme "+t.Path+":", "line ", "theme "+t.Path, "it", "\n", "; ").Replace(t.Err.Error()))
		}
		own = append(own, one)
	}
	return own
}

func (o *chatOptions) chooseTheme(s *settings.Settings) (views.Theme, error) {
	o.themes = readThemes(o.Access)
	theme := views.Theme(cmp.Or(o.theme, s.Get(settings.ChatTheme).Value))
	if slices.Contains(views.Themes(), theme) {
		return theme, nil
	}
	i := slices.IndexFunc(o.themes, func(t views.OwnTheme) bool { return t.Name == theme })
	if i < 0 {
		return "", cli.UsageError("%w", o.explainMissing(theme))
	}
	for _, warning := range o.themes[i].ListWarnings() {
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

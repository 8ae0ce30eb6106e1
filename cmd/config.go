package cmd

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

func newConfigCmd(env *service.Environment) *cobra.Command {
	c := cli.NewGroupCmd("config", "Show and change the settings",
		newConfigListCmd(env), newConfigGetCmd(env), newConfigSetCmd(env), newConfigUnsetCmd(env))
	var lines []string
	for _, d := range settings.Definitions() {
		lines = append(lines, fmt.Sprintf("  %-16s %s", d.Key, d.Says))
	}
	c.Long = "Show and change the settings.\n\nFlags override the environment, which overrides the project's " +
		settings.ProjectFile + ",\nthe user's config.yaml and the default, in this order. The settings:\n\n" +
		strings.Join(lines, "\n")
	c.Example = "  parley config list\n  parley config set player_name Robin\n  parley config set server https://play.example.com --project"
	return c
}

// A ShownSetting is a setting in the output of `config list --json`. Value is empty for a secret.
type ShownSetting struct {
	Key    string          `json:"key"`
	Value  string          `json:"value"`
	Source settings.Source `json:"source"`
	Origin string          `json:"origin"`
	Secret bool            `json:"secret"`
}

func newConfigListCmd(env *service.Environment) *cobra.Command {
	var json cli.JSONFlag
	c := &cobra.Command{
		Use:     "list",
		Short:   "List every setting, its value, and where the value comes from",
		Long:    "List every setting with its value and origin. Secrets are listed without their values.",
		Example: "  parley config list\n  parley config list --jq '.[] | select(.source != \"default\") | .key'",
		Args:    cli.ExactArgs(),
		RunE:    func(*cobra.Command, []string) error { return printSettings(env, json) },
	}
	json.AddFlags(c, ShownSetting{})
	return c
}

func printSettings(env *service.Environment, json cli.JSONFlag) error {
	current, err := env.LoadSettings(true)
	if err != nil {
		return err
	}
	list := listSettings(env.Streams, current)
	if json.On {
		return env.PrintJSON(json, list)
	}
	rows := make([][]string, len(list))
	for i, l := range list {
		rows[i] = []string{l.Key, l.Value, l.Origin}
		if l.Secret {
			rows[i][1] = "(set, not shown)"
		}
	}
	if err := env.PrintTable([]string{"SETTING", "VALUE", "FROM"}, rows); err != nil {
		return err
	}
	warnProfile(env.Streams, current)
	return nil
}

func warnProfile(streams *cli.Streams, s *settings.Settings) {
	chosen := s.Get(settings.ProfileName)
	if _, err := s.FindProfile(chosen.Value); err != nil {
		streams.Say("%s (selected by %s); add it with `parley profile add`", terminal.Clean(err.Error()),
			terminal.Clean(chosen.Origin))
	}
}

func listSettings(streams *cli.Streams, s *settings.Settings) []ShownSetting {
	var list []ShownSetting
	for _, d := range settings.Definitions() {
		set := s.Get(d.Key)
		list = append(list, ShownSetting{Key: string(d.Key), Value: plaintext.RedactUser(set.Value),
			Source: set.Source, Origin: set.Origin})
	}
	own := s.ChatKeys()
	for _, action := range slices.Sorted(maps.Keys(own)) {
		set := own[action]
		list = append(list, ShownSetting{Key: string(settings.ChatActionKey(action)), Value: set.Value,
			Source: set.Source, Origin: set.Origin})
	}
	for _, name := range service.SecretVariables() {
		if streams.Env(name) != "" {
			key := strings.ToLower(strings.TrimPrefix(name, "PARLEY_"))
			list = append(list, ShownSetting{Key: key, Source: settings.FromEnvironment, Origin: name, Secret: true})
		}
	}
	return list
}

func newConfigGetCmd(env *service.Environment) *cobra.Command {
	return &cobra.Command{
		Use:     "get SETTING",
		Short:   "Print the value of a setting",
		Long:    "Print only the value of a setting. If the setting has no value, print nothing and exit with 1.",
		Example: "  parley config get server\n  name=$(parley config get player_name || echo Robin)",
		Args:    cli.ExactArgs("SETTING"),
		RunE:    func(_ *cobra.Command, args []string) error { return printSetting(env, args[0]) },

		ValidArgsFunction: completeSettings,
	}
}

func completeSettings(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, d := range settings.Definitions() {
		if len(args) == 0 {
			names = append(names, cli.DescribeCompletion(string(d.Key), d.Says))
		}
	}
	for _, a := range views.KeyActions() {
		if len(args) == 0 && strings.HasPrefix(typed, "chat.k") {
			names = append(names, cli.DescribeCompletion(string(settings.ChatActionKey(a.Name)), a.Does))
		}
	}
	return cli.CompleteWords(names, typed)
}

func printSetting(env *service.Environment, key string) error {
	d, err := findSetting(key)
	if err != nil {
		return err
	}
	s, err := env.LoadSettings(true)
	if err != nil {
		return err
	}
	action, _ := views.FindKeyAction(d.Key.ChatAction())
	value := cmp.Or(s.Get(d.Key).Value, strings.Join(action.Keys, " "))
	if value == "" {
		// A script can rely on the exit code alone, as with git config.
		return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("%s is not set", d.Key), Reported: !env.TTY.Err || env.Quiet}
	}
	_, err = fmt.Fprintln(env.Out, terminal.Clean(plaintext.RedactUser(value)))
	return err
}

func findSetting(name string) (settings.Definition, error) {
	d, err := settings.FindDefinition(name)
	if err != nil {
		return d, cli.UsageError("%w", err)
	}
	if action := d.Key.ChatAction(); action != "" {
		if err := views.CheckKeyAction(action); err != nil {
			return d, cli.UsageError("%s: %w", name, err)
		}
	}
	return d, nil
}

type configSetOptions struct {
	*service.Environment
	key, value     string
	project, unset bool
}

func newConfigSetCmd(env *service.Environment) *cobra.Command {
	o := &configSetOptions{Environment: env}
	c := &cobra.Command{
		Use:   "set SETTING VALUE",
		Short: "Write a setting into your settings file, or the project's",
		Long: `Write a setting into the user's config.yaml, with --profile NAME into that profile,
or with --project into the project's ` + settings.ProjectFile + ` (the one in use, else a new one
in this directory). Comments and the rest of the file stay. Secrets are refused: use
` + "`parley auth login`" + ` or the environment.`,
		Example: "  parley config set player_name Robin\n  parley config set server https://play.example.com --project\n  parley config set --unset player_name",
		Args: func(c *cobra.Command, args []string) error {
			if o.unset {
				return cli.ExactArgs("SETTING")(c, args)
			}
			return cli.ExactArgs("SETTING", "VALUE")(c, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			o.key, o.value = args[0], strings.Join(args[1:], "")
			return runConfigSet(o)
		},
		ValidArgsFunction: completeSettings,
	}
	c.Flags().BoolVar(&o.project, "project", false, "write the project's "+settings.ProjectFile)
	c.Flags().BoolVar(&o.unset, "unset", false, "remove the setting")
	return c
}

func newConfigUnsetCmd(env *service.Environment) *cobra.Command {
	o := &configSetOptions{Environment: env, unset: true}
	c := &cobra.Command{
		Use:     "unset SETTING",
		Short:   "Remove a setting from your settings file, or the project's",
		Example: "  parley config unset player_name\n  parley config unset server --project",
		Args:    cli.ExactArgs("SETTING"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.key = args[0]
			return runConfigSet(o)
		},
		ValidArgsFunction: completeSettings,
	}
	c.Flags().BoolVar(&o.project, "project", false, "change the project's "+settings.ProjectFile)
	return c
}

func runConfigSet(o *configSetOptions) error {
	path, err := settingsFile(o.Environment, o.project)
	if err != nil {
		return err
	}
	if o.unset {
		return editSettings(o.Environment, path, func(src []byte) ([]byte, error) {
			return settings.Remove(src, o.memberPath()...)
		})
	}
	if err := o.checkValue(); err != nil {
		return err
	}
	err = editSettings(o.Environment, path, func(src []byte) ([]byte, error) {
		return settings.Put(src, o.value, o.memberPath()...)
	})
	if err != nil {
		return err
	}
	s, err := o.LoadSettings(true)
	if err != nil {
		return err
	}
	now := s.Get(settings.Key(o.key))
	if now.Value != o.value && o.Profile == "" {
		o.Say("written to %s, but %s comes from %s, which takes precedence", terminal.Clean(path), o.key,
			terminal.Clean(now.Origin))
	}
	return nil
}

func (o *configSetOptions) checkValue() error {
	definition, err := settings.FindDefinition(o.key)
	if err != nil {
		return cli.UsageError("%w", err)
	}
	if err := settings.CheckSecret(o.value); err != nil {
		return cli.UsageError("%s was not written: %w", o.key, err)
	}
	check := definition.Check
	if definition.Key == settings.ChatTheme {
		check = func(name string) error { return settings.CheckTheme(o.Dirs(), name) }
	}
	if err := check(o.value); err != nil {
		return cli.UsageError("%s %q: %w", o.key, o.value, err)
	}
	if err := o.checkChatKey(definition.Key); err != nil {
		return err
	}
	switch {
	case o.project && strings.HasPrefix(o.key, "chat."):
		return cli.UsageError("%s is not allowed in a project's file: each player chooses keys and mouse", o.key)
	case o.project && definition.UserOnly:
		return cli.UsageError("%s is not allowed in a project's file, because it decides where people sign in", o.key)
	case o.project && o.Profile != "":
		return cli.UsageError("--profile and --project are mutually exclusive")
	case o.Profile != "" && definition.Outside:
		return cli.UsageError("%s is not allowed in a profile", o.key)
	}
	return o.checkProfile(definition)
}

func (o *configSetOptions) checkChatKey(k settings.Key) error {
	action := k.ChatAction()
	if action == "" {
		return nil
	}
	s, err := o.LoadSettings(true)
	if err != nil {
		return err
	}
	table := map[string]string{action: o.value}
	for name, set := range s.ChatKeys() {
		if name != action {
			table[name] = set.Value
		}
	}
	_, faults := views.MakeKeyMap("", table)
	for _, f := range faults {
		if f.Action == action {
			return cli.UsageError("%s %q: %w", o.key, o.value, f.Err)
		}
	}
	return nil
}

func (o *configSetOptions) checkProfile(d settings.Definition) error {
	named := o.Profile
	if d.Key == settings.ProfileName && !o.project {
		named = o.value
	}
	if named == "" {
		return nil
	}
	s, err := o.LoadSettings(true)
	if err != nil {
		return err
	}
	if _, err := s.FindProfile(named); err != nil {
		return cli.UsageError("%w", err)
	}
	if o.Profile != "" {
		if err := settings.CheckProfileName(named); err != nil {
			return cli.UsageError("%w", err)
		}
	}
	return nil
}

func (o *configSetOptions) memberPath() []string {
	if o.Profile != "" {
		return []string{"profiles", o.Profile, o.key}
	}
	return settings.Key(o.key).Members()
}

func settingsFile(env *service.Environment, project bool) (string, error) {
	if !project {
		return env.Dirs().UserFile()
	}
	if path := settings.FindProjectFile(env.WorkingFolder()); path != "" {
		return path, nil
	}
	return filepath.Join(env.WorkingFolder(), settings.ProjectFile), nil
}

func editSettings(env *service.Environment, path string, change func([]byte) ([]byte, error)) error {
	var wrong error
	err := settings.Edit(path, env.LockMarks(), func(src []byte) ([]byte, error) {
		var changed []byte
		changed, wrong = change(src)
		return changed, wrong
	})
	if wrong != nil {
		return cli.UsageError("settings file %s: %w", path, wrong)
	}
	return err
}

package cmd

import (
	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
)

func newProfileCmd(env *service.Environment) *cobra.Command {
	c := cli.NewGroupCmd("profile", "Store servers by name, and choose between them",
		newProfileAddCmd(env), newProfileUseCmd(env), newProfileListCmd(env), newProfileRemoveCmd(env))
	c.Long = `Name servers, and choose between them.

A profile names a server and, optionally, how to sign in there and who you are.
` + "`profile use`" + ` selects one permanently, --profile NAME or PARLEY_PROFILE once, and
profile: NAME in ` + settings.ProjectFile + ` for a project. The profile local is built in: the
server of ` + "`parley localserver`" + `. Sign-ins are kept per server.`
	c.Example = "  parley profile add work --server https://play.example.com\n  parley profile use work\n  parley --profile local persona list"
	return c
}

type profileAddOptions struct {
	*service.Environment
	name   string
	values map[settings.Key]*string
	use    bool
}

func newProfileAddCmd(env *service.Environment) *cobra.Command {
	o := &profileAddOptions{Environment: env, values: map[settings.Key]*string{}}
	c := &cobra.Command{
		Use:     "add NAME --server ADDRESS",
		Short:   "Add or change a profile in your settings file",
		Long:    "Add a profile to your settings file, or change the given values of an existing one.",
		Example: "  parley profile add work --server https://play.example.com --use\n  parley profile add work --player-name Robin",
		Args:    cli.ExactArgs("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.name = args[0]
			return runProfileAdd(o)
		},
	}
	for _, key := range []struct {
		key        settings.Key
		flag, says string
	}{
		{settings.Issuer, "issuer", "`ADDRESS` of the OpenID provider to sign in with"},
		{settings.ClientID, "client-id", "Parley's client `ID` at that provider"},
		{settings.Audience, "audience", "audience `NAME` of that provider's tokens"},
		{settings.Resource, "resource", "the audience as a `URI` (RFC 8707), or none"},
		{settings.PlayerName, "player-name", "`NAME` that characters call you on this server"},
		{settings.PlayerGender, "player-gender", "your `GENDER`: female, male or non-binary"},
	} {
		o.values[key.key] = c.Flags().String(key.flag, "", key.says)
	}
	c.Flags().BoolVar(&o.use, "use", false, "select this profile")
	return c
}

func runProfileAdd(o *profileAddOptions) error {
	s, err := o.checkProfile()
	if err != nil {
		return err
	}
	path, err := settingsFile(o.Environment, false)
	if err != nil {
		return err
	}
	if err := editSettings(o.Environment, path, o.putProfile); err != nil {
		return err
	}
	o.Say("profile %s is stored in %s", o.name, terminal.Clean(path))
	if !o.use && s.Get(settings.ProfileName).Value != o.name {
		o.Say("use the profile   parley profile use %s", plaintext.ShellWord(o.name))
	}
	return nil
}

func (o *profileAddOptions) checkProfile() (*settings.Settings, error) {
	if err := settings.CheckProfileName(o.name); err != nil {
		return nil, cli.UsageError("%w", err)
	}
	o.values[settings.Server] = &o.Server // --server is a global flag
	for key, value := range o.values {
		if err := service.CheckSetting(key, *value); err != nil {
			return nil, err
		}
	}
	s, err := o.LoadSettings(true)
	if err != nil {
		return nil, err
	}
	if _, unknown := s.FindProfile(o.name); unknown != nil && o.Server == "" {
		return nil, cli.UsageError("--server ADDRESS is missing: a new profile needs a server")
	}
	return s, nil
}

func (o *profileAddOptions) putProfile(src []byte) ([]byte, error) {
	var err error
	for _, d := range settings.Definitions() {
		if value := o.values[d.Key]; value != nil && *value != "" {
			if src, err = settings.Put(src, *value, "profiles", o.name, string(d.Key)); err != nil {
				return nil, err
			}
		}
	}
	if o.use {
		return settings.Put(src, o.name, string(settings.ProfileName))
	}
	return src, nil
}

type profileNameOptions struct {
	*service.Environment
	name string
}

func newProfileNameCmd(env *service.Environment, c *cobra.Command, run func(*profileNameOptions) error) *cobra.Command {
	o := &profileNameOptions{Environment: env}
	c.Args = cli.ExactArgs("NAME")
	c.RunE = func(_ *cobra.Command, args []string) error {
		o.name = args[0]
		return run(o)
	}
	c.ValidArgsFunction = env.CompleteProfiles
	return c
}

func newProfileUseCmd(env *service.Environment) *cobra.Command {
	return newProfileNameCmd(env, &cobra.Command{
		Use:     "use NAME",
		Short:   "Use a profile from now on",
		Example: "  parley profile use work\n  parley profile use local",
	}, runProfileUse)
}

func runProfileUse(o *profileNameOptions) error {
	current, err := o.LoadSettings(true)
	if err != nil {
		return err
	}
	profile, err := current.FindProfile(o.name)
	if err != nil {
		return &cli.Failure{Code: cli.ExitUsage, Err: err, Hint: "add it with `parley profile add NAME --server ADDRESS`"}
	}
	path, err := settingsFile(o.Environment, false)
	if err != nil {
		return err
	}
	err = editSettings(o.Environment, path, func(src []byte) ([]byte, error) {
		return settings.Put(src, o.name, string(settings.ProfileName))
	})
	if err != nil {
		return err
	}
	if current, err = o.LoadSettings(true); err != nil {
		return err
	}
	if now := current.Get(settings.ProfileName); now.Value != o.name {
		o.Say("the choice was written to %s, but %s selects another profile and takes precedence",
			terminal.Clean(path), terminal.Clean(now.Origin))
		return nil
	}
	o.Say("using %s: %s", profile.Name, terminal.Clean(profile.Values[settings.Server].Value))
	return nil
}

// A ShownProfile is one profile in the output of `profile list --json`.
type ShownProfile struct {
	Name     string                  `json:"name"`
	Used     bool                    `json:"used"`
	Server   string                  `json:"server"`
	Settings map[settings.Key]string `json:"settings"`
	Origin   string                  `json:"origin"`
}

func newProfileListCmd(env *service.Environment) *cobra.Command {
	var json cli.JSONFlag
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the profiles, with a star at the one in use",
		Example: "  parley profile list\n  parley profile list --jq '.[] | select(.used) | .server'",
		Args:    cli.ExactArgs(),
		RunE:    func(*cobra.Command, []string) error { return listProfiles(env, json) },
	}
	json.AddFlags(c, ShownProfile{})
	return c
}

func listProfiles(env *service.Environment, json cli.JSONFlag) error {
	current, err := env.LoadSettings(true)
	if err != nil {
		return err
	}
	list := shownProfiles(current)
	if json.On {
		return env.PrintJSON(json, list)
	}
	rows := make([][]string, len(list))
	for i, p := range list {
		mark := map[bool]string{true: "*"}[p.Used]
		rows[i] = []string{mark, p.Name, p.Server, p.Origin}
	}
	if err := env.PrintTable([]string{"", "NAME", "SERVER", "FROM"}, rows); err != nil {
		return err
	}
	warnProfile(env.Streams, current)
	return nil
}

func shownProfiles(s *settings.Settings) []ShownProfile {
	chosen := s.Get(settings.ProfileName)
	serverOutsideProfiles := chosen.Source == settings.FromDefault && s.Get(settings.Server).Source != settings.FromDefault
	var list []ShownProfile
	for _, p := range s.Profiles() {
		item := ShownProfile{Name: p.Name, Used: p.Name == chosen.Value && !serverOutsideProfiles, Origin: p.Origin,
			Settings: map[settings.Key]string{}}
		for key, value := range p.Values {
			item.Settings[key] = value.Value
		}
		item.Server = item.Settings[settings.Server]
		list = append(list, item)
	}
	return list
}

func newProfileRemoveCmd(env *service.Environment) *cobra.Command {
	return newProfileNameCmd(env, &cobra.Command{
		Use:     "remove NAME",
		Short:   "Remove a profile from your settings file",
		Long:    "Remove a profile from your settings file. Sign-ins at its server stay: use\n`parley auth logout` first to end them.",
		Example: "  parley profile remove work",
	}, runProfileRemove)
}

func runProfileRemove(o *profileNameOptions) error {
	if err := settings.CheckProfileName(o.name); err != nil {
		return cli.UsageError("%w", err)
	}
	s, err := o.LoadSettings(true)
	if err != nil {
		return err
	}
	if _, err := s.FindProfile(o.name); err != nil {
		return cli.UsageError("%w", err)
	}
	path, err := settingsFile(o.Environment, false)
	if err != nil {
		return err
	}
	err = editSettings(o.Environment, path, func(src []byte) ([]byte, error) {
		if settings.HasText(src, o.name, string(settings.ProfileName)) {
			if src, err = settings.Remove(src, string(settings.ProfileName)); err != nil {
				return nil, err
			}
		}
		return settings.Remove(src, "profiles", o.name)
	})
	if err != nil {
		return err
	}
	o.Say("removed the profile %s", o.name)
	return nil
}

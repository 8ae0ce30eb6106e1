package cmd

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/tui/terminal"
)

func newProfileCmd(a *app) *cobra.Command {
	c := newGroupCmd("profile", "Name servers, and choose between them",
		newProfileAddCmd(a, runProfileAdd), newProfileUseCmd(a, runProfileUse), newProfileListCmd(a, runProfileList), newProfileRemoveCmd(a, runProfileRemove))
	c.Long = `Name servers, and choose between them.

A profile is a name for a server and, where you like, how to sign in there and who
you are. ` + "`profile use`" + ` chooses one for good, --profile NAME or PARLEY_PROFILE for now, and
profile: NAME in a project's ` + config.ProjectFile + ` for that project. The profile local is built
in: the server that ` + "`parley localserver`" + ` starts. Sign-ins are kept for each server.`
	c.Example = "  parley profile add work --server https://play.example.com\n  parley profile use work\n  parley --profile local persona list"
	return c
}

type profileAddOptions struct {
	*app
	name   string
	values map[config.Key]*string
	use    bool
}

func newProfileAddCmd(a *app, run func(context.Context, *profileAddOptions) error) *cobra.Command {
	o := &profileAddOptions{app: a, values: map[config.Key]*string{}}
	c := &cobra.Command{
		Use:     "add NAME --server ADDRESS",
		Short:   "Add a profile to your settings file, or change it",
		Long:    "Add a profile to your settings file. Of one that is there, the values that are\ngiven are changed and the others stay.",
		Example: "  parley profile add work --server https://play.example.com --use\n  parley profile add work --player-name Robin",
		Args:    exactly("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			o.name = args[0]
			return run(c.Context(), o)
		},
	}
	for _, key := range []struct {
		key        config.Key
		flag, says string
	}{
		{config.Issuer, "issuer", "OpenID provider to sign in with, its `ADDRESS`"},
		{config.ClientID, "client-id", "what that provider calls Parley, `ID`"},
		{config.PlayerName, "player-name", "how characters call you there, `NAME`"},
		{config.PlayerGender, "player-gender", "female, male or non-binary, `GENDER`"},
	} {
		o.values[key.key] = c.Flags().String(key.flag, "", key.says)
	}
	c.Flags().BoolVar(&o.use, "use", false, "use it from now on")
	return c
}

func runProfileAdd(_ context.Context, o *profileAddOptions) error {
	s, err := o.checkProfile()
	if err != nil {
		return err
	}
	path, err := o.settingsFile(false)
	if err != nil {
		return err
	}
	if err := o.edit(path, o.write); err != nil {
		return err
	}
	o.say("profile %s is in %s", o.name, terminal.Clean(path))
	if !o.use && s.Get(config.ProfileName).Value != o.name {
		o.say("use it   parley profile use %s", o.name)
	}
	return nil
}

// checkProfile looks at everything before the file is touched.
func (o *profileAddOptions) checkProfile() (*config.Settings, error) {
	if err := config.CheckProfileName(o.name); err != nil {
		return nil, usage("%w", err)
	}
	o.values[config.Server] = &o.server // the flag of every command
	for key, value := range o.values {
		if err := checkSetting(key, *value); err != nil {
			return nil, err
		}
	}
	s, err := o.loadSettings(true)
	if err != nil {
		return nil, err
	}
	if _, unknown := s.FindProfile(o.name); unknown != nil && o.server == "" {
		return nil, usage("--server ADDRESS is missing: a new profile names a server")
	}
	return s, nil
}

func checkSetting(key config.Key, value string) error {
	if value == "" {
		return nil
	}
	if err := config.CheckSecret(value); err != nil {
		return usage("%s is not written: %w", key, err)
	}
	d, err := config.Define(string(key))
	if err == nil {
		err = d.Check(value)
	}
	if err != nil {
		return usage("%s %q: %w", key, value, err)
	}
	return nil
}

// write puts the profile into the text of the settings file.
func (o *profileAddOptions) write(src []byte) ([]byte, error) {
	var err error
	for _, d := range config.Definitions() {
		if value := o.values[d.Key]; value != nil && *value != "" {
			if src, err = config.Put(src, *value, "profiles", o.name, string(d.Key)); err != nil {
				return nil, err
			}
		}
	}
	if o.use {
		return config.Put(src, o.name, string(config.ProfileName))
	}
	return src, nil
}

type profileNameOptions struct {
	*app
	name string
}

func newProfileNameCmd(a *app, c *cobra.Command, run func(context.Context, *profileNameOptions) error) *cobra.Command {
	o := &profileNameOptions{app: a}
	c.Args = exactly("NAME")
	c.RunE = func(c *cobra.Command, args []string) error {
		o.name = args[0]
		return run(c.Context(), o)
	}
	c.ValidArgsFunction = a.completeProfiles
	return c
}

func (a *app) completeProfiles(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeProfileFlag(c, nil, typed)
}

// completeProfileFlag completes the value of --profile.
func (a *app) completeProfileFlag(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, p := range a.profiles() {
		names = append(names, describedName(p.Name, p.Values[config.Server].Value))
	}
	return amongWords(names, typed)
}

// profiles are those of settings that can be read; none of others.
func (a *app) profiles() []config.Profile {
	s, err := a.loadSettings(true)
	if err != nil {
		return nil
	}
	return s.Profiles()
}

// knownServers are the servers that profiles name.
func (a *app) knownServers() []string {
	var servers []string
	for _, p := range a.profiles() {
		if server := p.Values[config.Server].Value; server != "" && !slices.Contains(servers, server) {
			servers = append(servers, server)
		}
	}
	return servers
}

func newProfileUseCmd(a *app, run func(context.Context, *profileNameOptions) error) *cobra.Command {
	return newProfileNameCmd(a, &cobra.Command{
		Use:     "use NAME",
		Short:   "Use a profile from now on",
		Example: "  parley profile use work\n  parley profile use local",
	}, run)
}

func runProfileUse(_ context.Context, o *profileNameOptions) error {
	s, err := o.loadSettings(true)
	if err != nil {
		return err
	}
	p, err := s.FindProfile(o.name)
	if err != nil {
		return &failure{code: exitUsage, err: err, hint: "add it with `parley profile add NAME --server ADDRESS`"}
	}
	path, err := o.settingsFile(false)
	if err != nil {
		return err
	}
	if err := o.edit(path, func(src []byte) ([]byte, error) { return config.Put(src, o.name, string(config.ProfileName)) }); err != nil {
		return err
	}
	if s, err = o.loadSettings(true); err != nil {
		return err
	}
	if now := s.Get(config.ProfileName); now.Value != o.name {
		o.say("written to %s, but the profile comes from %s: that wins", terminal.Clean(path), terminal.Clean(now.Origin))
		return nil
	}
	o.say("using %s: %s", p.Name, terminal.Clean(p.Values[config.Server].Value))
	return nil
}

// shownProfile is a profile as `profile list --json` prints it.
type shownProfile struct {
	Name     string                `json:"name"`
	Used     bool                  `json:"used"`
	Server   string                `json:"server"`
	Settings map[config.Key]string `json:"settings"`
	Origin   string                `json:"origin"`
}

type profileListOptions struct {
	*app
	json jsonFlag
}

func newProfileListCmd(a *app, run func(context.Context, *profileListOptions) error) *cobra.Command {
	o := &profileListOptions{app: a}
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the profiles, with a star at the one in use",
		Example: "  parley profile list\n  parley profile list --jq '.[] | select(.used) | .server'",
		Args:    exactly(),
		RunE:    func(c *cobra.Command, _ []string) error { return run(c.Context(), o) },
	}
	o.json.add(c, shownProfile{})
	return c
}

func runProfileList(_ context.Context, o *profileListOptions) error {
	s, err := o.loadSettings(true)
	if err != nil {
		return err
	}
	list := shownProfiles(s)
	if o.json.on {
		return o.printJSON(o.json, list)
	}
	rows := make([][]string, len(list))
	for i, p := range list {
		mark := map[bool]string{true: "*"}[p.Used]
		rows[i] = []string{mark, p.Name, p.Server, p.Origin}
	}
	if err := o.printTable([]string{"", "NAME", "SERVER", "FROM"}, rows); err != nil {
		return err
	}
	o.warnProfile(s)
	return nil
}

func shownProfiles(s *config.Settings) []shownProfile {
	chosen := s.Get(config.ProfileName)
	// Nothing chosen is the profile local, unless a server is named without one.
	free := chosen.Source == config.FromDefault && s.Get(config.Server).Source != config.FromDefault
	var list []shownProfile
	for _, p := range s.Profiles() {
		item := shownProfile{Name: p.Name, Used: p.Name == chosen.Value && !free, Origin: p.Origin, Settings: map[config.Key]string{}}
		for key, value := range p.Values {
			item.Settings[key] = value.Value
		}
		item.Server = item.Settings[config.Server]
		list = append(list, item)
	}
	return list
}

func newProfileRemoveCmd(a *app, run func(context.Context, *profileNameOptions) error) *cobra.Command {
	return newProfileNameCmd(a, &cobra.Command{
		Use:     "remove NAME",
		Short:   "Take a profile out of your settings file",
		Long:    "Take a profile out of your settings file. A sign-in with its server is kept: end it\nwith `parley auth logout` first.",
		Example: "  parley profile remove work",
	}, run)
}

func runProfileRemove(_ context.Context, o *profileNameOptions) error {
	if err := config.CheckProfileName(o.name); err != nil {
		return usage("%w", err)
	}
	s, err := o.loadSettings(true)
	if err != nil {
		return err
	}
	if _, err := s.FindProfile(o.name); err != nil {
		return usage("%w", err)
	}
	path, err := o.settingsFile(false)
	if err != nil {
		return err
	}
	err = o.edit(path, func(src []byte) ([]byte, error) {
		if config.Says(src, o.name, string(config.ProfileName)) {
			if src, err = config.Remove(src, string(config.ProfileName)); err != nil {
				return nil, err
			}
		}
		return config.Remove(src, "profiles", o.name)
	})
	if err != nil {
		return err
	}
	o.say("removed the profile %s", o.name)
	return nil
}

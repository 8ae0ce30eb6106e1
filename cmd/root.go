package cmd

import (
	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/author"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/cmd/connect"
	"github.com/parley-npc/parley/cmd/play"
	"github.com/parley-npc/parley/cmd/serve"
	"github.com/parley-npc/parley/cmd/service"
)

const rootLong = `Parley plays, checks, saves and serves personas: non-player characters that
are an identity prompt plus state machines with scores, outcomes and unlock links.

First steps:
  parley chat --local            play a sample persona at once: no account, no network
  parley chat my-persona.yaml    play a persona file of your own
  parley localserver             run the whole service on this machine`

// The groups of commands in the help.
const (
	groupPlay    = "play"
	groupCreate  = "create"
	groupServe   = "serve"
	groupConnect = "connect"
	groupSelf    = "self"
)

// newRootCmd builds the command tree over an app.
func newRootCmd(a *service.Access) *cobra.Command {
	c := &cobra.Command{
		Use:               "parley",
		Short:             "Talk to characters that are state machines",
		Long:              rootLong,
		Version:           cli.VersionText(),
		SilenceUsage:      true,
		SilenceErrors:     true,
		Args:              cli.RequireSubcommand,
		RunE:              func(c *cobra.Command, _ []string) error { return showFirstSteps(a.Streams, c) },
		DisableAutoGenTag: true,
		PersistentPreRun:  func(*cobra.Command, []string) { a.Style = a.NewStyle() },
	}
	c.SetVersionTemplate("parley {{.Version}}\n")
	c.SetHelpCommand(newHelpCmd(a.Streams))
	c.SetHelpCommandGroupID(groupSelf)
	c.SetUsageTemplate(usageTemplate(c.UsageTemplate()))
	c.SetFlagErrorFunc(flagError)
	service.AddGlobalFlags(c, a)
	c.AddGroup(
		&cobra.Group{ID: groupPlay, Title: "Play:"},
		&cobra.Group{ID: groupCreate, Title: "Create:"},
		&cobra.Group{ID: groupServe, Title: "Serve:"},
		&cobra.Group{ID: groupConnect, Title: "Connect:"},
		&cobra.Group{ID: groupSelf, Title: "Parley itself:"},
	)
	addTo(c, groupPlay, play.NewChatCmd(a), play.NewSayCmd(a), play.NewProgressCmd(a), play.NewSessionCmd(a))
	addTo(c, groupCreate, newPersonaCmd(a))
	addTo(c, groupServe, serve.NewLocalserverCmd(a, author.WatchPersonaFiles), serve.NewKeyCmd(a))
	addTo(c, groupConnect, connect.NewAuthCmd(a), connect.NewProfileCmd(a.Environment), connect.NewConfigCmd(a.Environment, connect.SettingCompletions{config.LLMModel: author.CompleteWriter, config.ChatTheme: play.CompleteTheme}), connect.NewAPICmd(a), connect.NewDoctorCmd(a))
	addTo(c, groupSelf, newVersionCmd(a.Streams), newCompletionCmd(a.Streams))
	addTo(c, "", newTopics()...)
	return c
}

func addTo(parent *cobra.Command, group string, children ...*cobra.Command) {
	for _, child := range children {
		child.GroupID = group
		parent.AddCommand(child)
	}
}

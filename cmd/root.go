package cmd

import (
	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/config"
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
func newRootCmd(a *Access) *cobra.Command {
	c := &cobra.Command{
		Use:               "parley",
		Short:             "Talk to characters that are state machines",
		Long:              rootLong,
		Version:           versionText(),
		SilenceUsage:      true,
		SilenceErrors:     true,
		Args:              RequireSubcommand,
		RunE:              func(c *cobra.Command, _ []string) error { return showFirstSteps(a.Streams, c) },
		DisableAutoGenTag: true,
		PersistentPreRun:  func(*cobra.Command, []string) { a.style = a.NewStyle() },
	}
	c.SetVersionTemplate("parley {{.Version}}\n")
	c.SetHelpCommand(newHelpCmd(a.Streams))
	c.SetHelpCommandGroupID(groupSelf)
	c.SetUsageTemplate(usageTemplate(c.UsageTemplate()))
	c.SetFlagErrorFunc(flagError)
	addGlobalFlags(c, a)
	c.AddGroup(
		&cobra.Group{ID: groupPlay, Title: "Play:"},
		&cobra.Group{ID: groupCreate, Title: "Create:"},
		&cobra.Group{ID: groupServe, Title: "Serve:"},
		&cobra.Group{ID: groupConnect, Title: "Connect:"},
		&cobra.Group{ID: groupSelf, Title: "Parley itself:"},
	)
	addTo(c, groupPlay, newChatCmd(a), newSayCmd(a), newProgressCmd(a), newSessionCmd(a))
	addTo(c, groupCreate, newPersonaCmd(a))
	addTo(c, groupServe, newLocalserverCmd(a, watchPersonaFiles), newKeyCmd(a))
	addTo(c, groupConnect, newAuthCmd(a), newProfileCmd(a.Environment), newConfigCmd(a.Environment, settingCompletions{config.LLMModel: completeWriter, config.ChatTheme: completeTheme}), newAPICmd(a), newDoctorCmd(a))
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

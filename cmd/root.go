// Package cmd builds the command tree of Parley. It also contains help, completion, the manual and
// small commands.
//
// Paths follow the commands. `parley chat` is package cmd/chat, and `parley say` is say.go here.
// Packages of commands do not import each other. Package cmd passes functions between packages.
package cmd

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/chat"
	"github.com/parley-npc/parley/cmd/cli"
	localservercmd "github.com/parley-npc/parley/cmd/localserver"
	"github.com/parley-npc/parley/cmd/persona"
	"github.com/parley-npc/parley/cmd/persona/check"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/session"
)

const rootLong = `Parley plays, checks, saves and serves personas: non-player characters that
are an identity prompt plus state machines with scores, outcomes and unlock links.

First steps:
  parley chat --local            play a sample persona at once: no account, no network
  parley chat my-persona.yaml    play a persona file of your own
  parley localserver             run the whole service on this machine`

const (
	groupPlay    = "play"
	groupCreate  = "create"
	groupServe   = "serve"
	groupConnect = "connect"
	groupSelf    = "self"
)

func newRootCmd(access *service.Access) *cobra.Command {
	c := &cobra.Command{
		Use:               "parley",
		Short:             "Talk to characters in the terminal, and write your own",
		Long:              rootLong,
		Version:           cli.VersionText(),
		SilenceUsage:      true,
		SilenceErrors:     true,
		Args:              cli.RequireSubcommand,
		RunE:              func(c *cobra.Command, _ []string) error { return showFirstSteps(access.Streams, c) },
		DisableAutoGenTag: true,
		PersistentPreRun:  func(*cobra.Command, []string) { access.Style = access.NewStyle() },
	}
	c.SetVersionTemplate("parley {{.Version}}\n")
	c.SetHelpCommand(newHelpCmd(access.Streams))
	c.SetHelpCommandGroupID(groupSelf)
	c.SetUsageTemplate(usageTemplate(c.UsageTemplate()))
	c.SetHelpFunc(showHelp(c.HelpFunc()))
	c.SetFlagErrorFunc(explainFlagError)
	service.AddGlobalFlags(c, access)
	c.AddGroup(
		&cobra.Group{ID: groupPlay, Title: "Play:"},
		&cobra.Group{ID: groupCreate, Title: "Create:"},
		&cobra.Group{ID: groupServe, Title: "Serve:"},
		&cobra.Group{ID: groupConnect, Title: "Connect:"},
		&cobra.Group{ID: groupSelf, Title: "Parley itself:"},
	)
	addTo(c, groupPlay, chat.NewCmd(access), newSayCmd(access), newProgressCmd(access),
		session.NewCmd(access, check.ReplaySession))
	addTo(c, groupCreate, persona.NewCmd(access))
	addTo(c, groupServe, localservercmd.NewCmd(access, persona.WatchPersonaFiles), newKeyCmd(access))
	addTo(c, groupConnect, newAuthCmd(access), newProfileCmd(access.Environment),
		newConfigCmd(access.Environment), newAPICmd(access), newDoctorCmd(access))
	addTo(c, groupSelf, newVersionCmd(access.Streams), newCompletionCmd(access.Streams))
	addTo(c, "", newTopics()...)
	return c
}

func addTo(parent *cobra.Command, group string, children ...*cobra.Command) {
	for _, child := range children {
		child.GroupID = group
		parent.AddCommand(child)
	}
}

// Main executes a command line of parley and returns the exit code.
func Main(args []string, in, out, errOut *os.File) int {
	ctx, stop := signal.NotifyContext(context.Background(), cli.EndingSignals()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	access := service.NewAccess(in, out, errOut)
	service.HideSecrets(access.Streams)
	return Run(ctx, access, args)
}

// Run executes args with access to a service and returns the exit code.
func Run(ctx context.Context, access *service.Access, args []string) int {
	root := newRootCmd(access)
	// Adding completions takes longer than the rest of a start.
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		wordCompleter{access}.addCompletions(root)
		return service.Execute(ctx, access, root, args)
	}
	words, err := joinJSONFields(root, args)
	if err != nil {
		f := access.Explain(ctx, err)
		access.ReportFailure(nil, f)
		return f.Code
	}
	return service.Execute(ctx, access, root, words)
}

func newVersionCmd(streams *cli.Streams) *cobra.Command {
	var asJSON cli.JSONFlag
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version and how it was built",
		Example: "  parley version\n  parley version --json",
		Args:    cli.ExactArgs(),
		RunE: func(*cobra.Command, []string) error {
			b := cli.ReadBuildInfo()
			if asJSON.On {
				return streams.PrintJSON(asJSON, b)
			}
			_, err := fmt.Fprint(streams.Out, b)
			return err
		},
	}
	asJSON.AddFlags(c, cli.BuildInfo{})
	return c
}

package cmd

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/examples"
	"github.com/parley-npc/parley/personas/wire"
)

//go:embed completion.bash
var bashPrelude string

//go:embed completion_end.bash
var bashEnd string

var shells = []string{"bash", "zsh", "fish", "powershell"}

const completionLong = `Print a completion script for commands, flags and their values, names of personas,
sessions, API keys and settings, and files.

bash, in ~/.bashrc (the package bash-completion is not needed):
  eval "$(parley completion bash)"
or once, where bash-completion is installed:
  parley completion bash > ~/.local/share/bash-completion/completions/parley

zsh, in ~/.zshrc after compinit:
  source <(parley completion zsh)
or once, into a folder of $fpath:
  parley completion zsh > "${fpath[1]}/_parley"

fish, once:
  parley completion fish > ~/.config/fish/completions/parley.fish

PowerShell, in the file that $PROFILE names:
  parley completion powershell | Out-String | Invoke-Expression

Names come from the configured service and from what this machine remembers.
Completion waits at most 300 ms for the service.`

func newCompletionCmd(streams *cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "completion SHELL",
		Short:   "Print a shell's completion script: bash, zsh, fish, powershell",
		Long:    completionLong,
		Example: "  eval \"$(parley completion bash)\"\n  parley completion fish > ~/.config/fish/completions/parley.fish",
		Args:    cli.ExactArgs("SHELL"),
		RunE: func(c *cobra.Command, args []string) error {
			return writeCompletion(c.Root(), cli.RawWriter(streams.Out), args[0])
		},
	}
}

func writeCompletion(root *cobra.Command, w io.Writer, shell string) error {
	switch shell {
	case "bash":
		return writeBashCompletion(root, w)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return writeFishCompletion(root, w)
	case "powershell", "pwsh":
		return root.GenPowerShellCompletionWithDesc(w)
	}
	text := fmt.Sprintf("unknown shell %q: completion exists for %s", shell, strings.Join(shells, ", "))
	if near := personas.Nearest(shell, shells); near != "" {
		text += fmt.Sprintf(" (did you mean `%s`?)", near)
	}
	return cli.UsageError("%s", text)
}

var bashFunctions = []string{"\n__parley_handle_completion_types() {\n", "\n__parley_format_comp_descriptions()\n"}

func writeBashCompletion(root *cobra.Command, w io.Writer) error {
	var script strings.Builder
	if err := root.GenBashCompletionV2(&script, true); err != nil {
		return err
	}
	for _, name := range bashFunctions {
		if !strings.Contains(script.String(), name) {
			return errors.New("cobra's script for bash has changed, so its words cannot be quoted")
		}
	}
	_, err := io.WriteString(w, bashPrelude+script.String()+bashEnd)
	return err
}

// fishWords reads the command line in cobra's fish script. cobra evaluates these words unquoted
// (github.com/spf13/cobra/issues/2096). A persona called $(rm -r ~) would run.
const fishWords = "set -l args (commandline -opc)\n"

func writeFishCompletion(root *cobra.Command, w io.Writer) error {
	var script strings.Builder
	if err := root.GenFishCompletion(&script, true); err != nil {
		return err
	}
	before, after, ok := strings.Cut(script.String(), fishWords)
	if !ok {
		return errors.New("cobra's script for fish has changed, so its words cannot be quoted")
	}
	_, err := io.WriteString(w, before+"set -l args (commandline -opc | string escape)\n"+after)
	return err
}

var flagWords = map[string][]string{
	"fail-on":                       {"error", "warning", "info"},
	"player-gender":                 wire.Genders,
	"durability":                    {"full", "normal"},
	"chat-auth":                     {"optional", "required"},
	"director":                      {"on", "off"},
	"llm-eval-method":               {"auto", "decisions", "letter", "json"},
	"llm-openings":                  {"author", "model"},
	"rate-limit":                    {"on", "off"},
	"parley persona graph format":   {"terminal", "mermaid", "dot", "svg", "png"},
	"parley persona export format":  {"card-v3"},
	"parley session history format": {"text", "markdown", "json"},
	"parley session export format":  {"markdown", "json", "html"},
	"color":                         {"decision", "proof", "coverage="},
	"weight":                        {"pass=", "redirect=", "reject=", "kick_out=", "follow_up=", "aside="},
}

type wordCompleter struct{ *service.Access }

func (w wordCompleter) addCompletions(c *cobra.Command) {
	for _, child := range c.Commands() {
		w.addCompletions(child)
	}
	if kinds := argumentKinds(c.Use); c.ValidArgsFunction == nil && !c.HasSubCommands() {
		c.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return w.completeArgument(c, kinds, args, typed)
		}
	}
	c.PersistentFlags().VisitAll(func(f *pflag.Flag) { w.addFlagCompletion(c, f) })
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { w.addFlagCompletion(c, f) })
}

func (w wordCompleter) addFlagCompletion(c *cobra.Command, flag *pflag.Flag) {
	if _, done := c.GetFlagCompletionFunc(flag.Name); done || flag.Value.Type() == "bool" {
		return
	}
	words, ok := flagWords[c.CommandPath()+" "+flag.Name]
	if !ok {
		words = flagWords[flag.Name]
	}
	kind, _ := pflag.UnquoteUsage(flag)
	_ = c.RegisterFlagCompletionFunc(flag.Name,
		func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			fields, isJSON := flag.Value.(*cli.JSONFlag)
			switch {
			case isJSON:
				return completeFields(fields, typed)
			case flag.Name == "session":
				return cli.CompleteWords(w.completeSessions(c.Context(), args), typed)
			case flag.Name == "server":
				return cli.CompleteWords(w.KnownServers(), typed)
			case len(words) > 0:
				return cli.CompleteWords(words, typed)
			}
			return w.completeKinds(c, []string{kind}, nil, typed)
		})
}

func completeFields(f *cli.JSONFlag, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	var words []string
	for _, name := range f.FieldNames() {
		if !slices.Contains(strings.Split(before, ","), name) {
			words = append(words, before+name)
		}
	}
	found, _ := cli.CompleteWords(words, typed)
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// argumentKinds parses a usage line. A nil at the end marks a repeatable last argument.
func argumentKinds(use string) [][]string {
	words := strings.Fields(strings.NewReplacer(" | ", "|").Replace(use))[1:]
	var kinds [][]string
	for _, word := range words {
		if word == "[flags]" || word == "--" {
			continue
		}
		if strings.HasPrefix(strings.TrimLeft(word, "["), "-") {
			break
		}
		word = strings.Trim(word, "[]")
		name, more := strings.CutSuffix(word, "...")
		kinds = append(kinds, strings.Split(strings.Trim(name, "[]"), "|"))
		if more {
			kinds = append(kinds, nil)
		}
	}
	return kinds
}

func (w wordCompleter) completeArgument(c *cobra.Command, kinds [][]string, args []string,
	typed string) ([]string, cobra.ShellCompDirective) {
	at := len(args)
	if last := len(kinds) - 1; at >= last && last > 0 && kinds[last] == nil {
		at = last - 1
	}
	if at >= len(kinds) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if c.Flags().Changed("explain") { // lint --explain takes names of checks
		var names []string
		for _, check := range personafiles.AllChecks() {
			names = append(names, check.Name)
		}
		return cli.CompleteWords(names, typed)
	}
	return w.completeKinds(c, kinds[at], args, typed)
}

func (w wordCompleter) completeKinds(c *cobra.Command, kinds, given []string,
	typed string) ([]string, cobra.ShellCompDirective) {
	var words []string
	directive := cobra.ShellCompDirectiveNoFileComp
	for _, kind := range kinds {
		switch kind {
		case "PERSONA":
			words = append(words, nameWords(w.listPersonas(c.Context(), typed), typed)...)
		case "SESSION":
			words = append(words, w.completeSessions(c.Context(), nil)...)
		case "KEY":
			words = append(words, nameWords(askInTime(c.Context(), w.listKeys), typed)...)
		case "SHELL":
			words = append(words, shells...)
		case "SAMPLE":
			words = append(words, examples.Names()...)
		case "CMD", "ARG", "FOLDER", "DIR", "FILE", "PATH", "NEW_FILE":
			directive = cobra.ShellCompDirectiveDefault
		}
	}
	words = slices.DeleteFunc(words, func(word string) bool {
		name, _, _ := strings.Cut(word, "\t")
		return slices.Contains(given, name) || !strings.HasPrefix(strings.ToLower(name), strings.ToLower(typed))
	})
	return words, directive
}

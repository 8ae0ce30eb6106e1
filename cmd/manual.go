package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas/atomicfile"
)

func newManCmd(streams *cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write a manual page for every command and topic",
		Long: "Write a manual page for every command and topic into a folder, which is created if it\n" +
			"does not exist. `man` finds the pages in a folder man1 of its search path.",
		Example: "  parley help man ~/.local/share/man/man1\n  man parley-persona-lint",
		Args:    cli.ExactArgs("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			n, err := writeManual(c.Root(), args[0])
			if err != nil {
				return cli.WrapTrouble(err, "")
			}
			streams.Say("%s in %s", cli.Pluralize(n, "page"), args[0])
			return nil
		},
	}
}

func writeManual(root *cobra.Command, folder string) (n int, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // a manual is for everybody to read
		return 0, fmt.Errorf("make folder %s: %w", folder, cli.PathReason(err))
	}
	cli.WalkCommands(root, func(c *cobra.Command) {
		file := filepath.Join(folder, pageName(c)+".1")
		if fault := atomicfile.Write(file, []byte(manPage(c)), 0o644); fault != nil {
			err = errors.Join(err, fmt.Errorf("write %s: %w", file, cli.PathReason(fault)))
			return
		}
		n++
	})
	return n, err
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func manPage(c *cobra.Command) string {
	var b strings.Builder
	addDefaultFlags(c)
	facts := cli.ReadBuildInfo()
	fmt.Fprintf(&b, ".TH %s 1 %q %q Parley\n", strings.ToUpper(escapeRoff(pageName(c))),
		facts.Date[:min(len("2006-01-02"), len(facts.Date))], "parley "+facts.Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escapeRoff(pageName(c)), escapeRoff(c.Short))
	if c.Runnable() {
		fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", escapeRoff(c.UseLine()))
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", roffBlock(cmp.Or(c.Long, c.Short+".")))
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, child := range c.Commands() {
			if !child.Hidden {
				fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", escapeRoff(pageName(child)), escapeRoff(child.Short))
			}
		}
	}
	writeRoffFlags(&b, "OPTIONS", c.NonInheritedFlags())
	if c.Runnable() {
		writeRoffFlags(&b, "OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	}
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n%s", roffBlock(c.Example))
	}
	if c.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", escapeRoff(pageName(c.Parent())))
	}
	return b.String()
}

// addDefaultFlags adds --help and --version. cobra adds these flags only to a command that runs.
func addDefaultFlags(c *cobra.Command) {
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
}

func writeRoffFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	visitFlags(flags, func(name, text string) {
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", escapeRoff(name), escapeRoff(text))
	})
}

func visitFlags(flags *pflag.FlagSet, visit func(name, text string)) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, text := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if value != "" {
			name += " " + value
		}
		if !slices.Contains([]string{"", "false", "0", "0s", "[]"}, f.DefValue) {
			text += " (default " + f.DefValue + ")"
		}
		visit(name, text)
	})
}

func escapeRoff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

// roffBlock keeps line breaks, because help texts are wrapped by hand.
func roffBlock(text string) string {
	var b strings.Builder
	b.WriteString(".nf\n")
	for line := range strings.Lines(strings.Trim(text, "\n") + "\n") {
		line = strings.TrimRight(line, " \n")
		if line == "" {
			b.WriteString(".sp\n")
			continue
		}
		b.WriteString(escapeRoff(line) + "\n")
	}
	b.WriteString(".fi\n")
	return b.String()
}

func newMarkdownCmd(streams *cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "markdown",
		Short:   "Print the help of every command and topic as one Markdown page",
		Example: "  parley help markdown > docs/cli.md",
		Args:    cli.ExactArgs(),
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := io.WriteString(streams.Out, markdownManual(c.Root()))
			return err
		},
	}
}

func markdownManual(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# The command line\n\nEvery command with its flags, as `parley COMMAND --help` prints it; made by `parley help markdown`.\n\n")
	cli.WalkCommands(root, func(c *cobra.Command) {
		depth := strings.Count(c.CommandPath(), " ")
		fmt.Fprintf(&b, "%s- [`%s`](#%s): %s\n", strings.Repeat("  ", depth), c.CommandPath(), pageName(c), escapeMarkdown(c.Short))
	})
	cli.WalkCommands(root, func(c *cobra.Command) { writeMarkdownPage(&b, c) })
	return b.String()
}

func writeMarkdownPage(b *strings.Builder, c *cobra.Command) {
	addDefaultFlags(c)
	fmt.Fprintf(b, "\n## %s\n\n%s.\n", c.CommandPath(), escapeMarkdown(c.Short))
	if c.Runnable() {
		fmt.Fprintf(b, "\n    %s\n", c.UseLine())
	}
	if c.Long != "" {
		fmt.Fprintf(b, "\n```text\n%s\n```\n", strings.Trim(c.Long, "\n"))
	}
	if c.Example != "" {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", strings.ReplaceAll(strings.TrimPrefix(c.Example, "  "), "\n  ", "\n"))
	}
	first := true
	visitFlags(c.NonInheritedFlags(), func(name, text string) {
		if name == "-h, --help" {
			return
		}
		if first {
			b.WriteString("\n| Flags | |\n|---|---|\n")
			first = false
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.ReplaceAll(name, "|", `\|`), escapeMarkdown(text))
	})
	if c.HasParent() && c.Runnable() && c.HasInheritedFlags() {
		b.WriteString("\nThe [flags of all commands](#parley) also apply here.\n")
	}
}

func escapeMarkdown(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", `\<`).Replace(text)
}

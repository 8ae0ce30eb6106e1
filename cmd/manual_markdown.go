package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
)

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

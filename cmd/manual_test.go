package cmd

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/assert"
)

func tree() *cobra.Command { return newRootCmd(service.NewAccess(os.Stdin, os.Stdout, os.Stderr)) }

func TestCommandPage(t *testing.T) {
	t.Parallel()
	const page = "../docs/cli.md"
	assert.Golden(t, page, markdownManual(tree()))
}

func isTopic(c *cobra.Command) bool { return !c.Runnable() && !c.HasSubCommands() }

// TestEveryCommandTeaches: each has examples, and each example names commands and flags that exist.
func TestEveryCommandTeaches(t *testing.T) {
	t.Parallel()
	cli.WalkCommands(tree(), func(c *cobra.Command) {
		addDefaultFlags(c)
		switch {
		case isTopic(c):
			assert.True(t, c.Long != "", "the topic %s says nothing", c.Name())
			return
		case c.Example == "" && c.HasParent():
			t.Errorf("%s has no example", c.CommandPath())
		case c.Short == "" || strings.HasSuffix(c.Short, "."):
			t.Errorf("%s: the short help is %q; it is one sentence without a full stop", c.CommandPath(), c.Short)
		}
		for line := range strings.Lines(c.Example) {
			if !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: the example %q is not indented by two spaces", c.CommandPath(), line)
			}
			checkExample(t, c, line)
		}
	})
}

func checkExample(t *testing.T, about *cobra.Command, line string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`\bparley ((?:[^|>&;")]|"[^"]*")+)`).FindAllStringSubmatch(line, -1) {
		root := tree()
		c, _, err := root.Find(strings.Fields(m[1]))
		if err != nil {
			t.Errorf("%s: the example %q: %v", about.CommandPath(), line, err)
			continue
		}
		addDefaultFlags(c)
		for _, word := range strings.Fields(m[1]) {
			if word == "--" {
				break
			}
			name, isFlag := strings.CutPrefix(word, "--")
			name, _, _ = strings.Cut(name, "=")
			if isFlag && c.Flag(name) == nil {
				t.Errorf("%s: the example %q: %s has no --%s", about.CommandPath(), line, c.CommandPath(), name)
			}
		}
	}
}

func TestFlagWords(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	cli.WalkCommands(tree(), func(c *cobra.Command) {
		addDefaultFlags(c)
		for row, words := range flagWords {
			flag := c.LocalFlags().Lookup(row[strings.LastIndex(row, " ")+1:])
			if flag == nil || strings.Contains(row, " ") && !strings.HasPrefix(row, c.CommandPath()+" ") {
				continue
			}
			used[row] = true
			for _, word := range words {
				if about := flag.Usage + flag.DefValue + c.Long; !strings.Contains(about, strings.TrimSuffix(word, "=")) && row != "weight" {
					t.Errorf("%s --%s completes to %q, of which its help says nothing: %s", c.CommandPath(), flag.Name, word, flag.Usage)
				}
			}
		}
	})
	for row := range flagWords {
		assert.True(t, used[row], "no command has the flag of the row %q", row)
	}
}

// TestFlagValues: a flag shows its value in capitals, as in usage lines.
func TestFlagValues(t *testing.T) {
	t.Parallel()
	cli.WalkCommands(tree(), func(c *cobra.Command) {
		addDefaultFlags(c)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if value, _ := pflag.UnquoteUsage(f); value != strings.ToUpper(value) {
				t.Errorf("%s: --%s %s", c.CommandPath(), f.Name, value)
			}
		})
	})
}

func TestArgumentKinds(t *testing.T) {
	t.Parallel()
	for use, want := range map[string][][]string{
		"list":                              nil,
		"show PERSONA":                      {{"PERSONA"}},
		"lint [PATH...]":                    {{"PATH"}, nil},
		"save FILE...":                      {{"FILE"}, nil},
		"say PERSONA TEXT...":               {{"PERSONA"}, {"TEXT"}, nil},
		"chat [PERSONA | FILE | PLAY_LINK]": {{"PERSONA", "FILE", "PLAY_LINK"}},
		"polish FILE --field PATH":          {{"FILE"}},
		"exec [flags] -- CMD [ARG...]":      {{"CMD"}, {"ARG"}, nil},
	} {
		got := argumentKinds(use)
		assert.True(t, slices.EqualFunc(got, want, slices.Equal[[]string]), "%q gives %q, want %q", use, got, want)
	}
}

// TestManualPages: each command has a page, which a formatter accepts without warnings and without losing text.
func TestManualPages(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "share", "man1")
	root := tree()
	n, err := writeManual(root, folder)
	assert.Must(t, err == nil && n >= 30, "%d pages, %v", n, err)
	formatter, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("mandoc is not installed: the pages are written and not formatted")
	}
	cli.WalkCommands(root, func(c *cobra.Command) {
		page := filepath.Join(folder, pageName(c)+".1")
		if out, err := exec.Command(formatter, "-T", "lint", "-W", "error", page).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", page, err, out)
		}
		out := assert.Value(exec.Command(formatter, "-T", "utf8", "-O", "width=200", page).Output())(t)
		plain := regexp.MustCompile(`.\x08`).ReplaceAllString(string(out), "")
		for line := range strings.Lines(cmp.Or(c.Long, c.Short+".") + "\n" + c.Example) {
			line = strings.TrimSpace(line)
			assert.Contains(t, plain, line, "%s does not show the line", page)
		}
	})
}

func TestRoff(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		".SH no":       `\&.SH no`,
		`a\b`:          `a\eb`,
		"'br":          `\(aqbr`,
		"--json":       `\-\-json`,
		"x ^ ~ ` done": "x \\(ha \\(ti \\(ga done",
	} {
		assert.Equal(t, escapeRoff(text), want, "roff(%q)", text)
	}
	assert.Equal(t, roffBlock("a\n\n  .b"), ".nf\na\n.sp\n  .b\n.fi\n", "a block")
}

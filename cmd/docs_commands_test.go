package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestDocumentedCommands: every command line of the README and docs exists, with its flags and arguments.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	pages := assert.Value(filepath.Glob("../docs/*.md"))(t)
	for _, page := range append(pages, "../README.md") {
		if page == filepath.FromSlash("../docs/cli.md") { // made of the commands; TestEveryCommandTeaches reads their examples
			continue
		}
		for _, line := range documentedCommands(t, page) {
			if line.text == "cassette 1" { // the first line of a recording
				continue
			}
			assert.NoError(t, taken(line.text, line.whole), "%s: `%s`", page, line.text)
		}
	}
}

// documented is a command line in a page. whole says that it is in a block to copy, and not in a
// sentence that may omit arguments.
type documented struct {
	text  string
	whole bool
}

// documentedCommands finds the command lines of a page, in blocks and in sentences.
func documentedCommands(t *testing.T, page string) []documented {
	t.Helper()
	text := assert.Value(os.ReadFile(page))(t)
	var lines []documented
	begins := regexp.MustCompile(`(?:^|[\s(|;])(?:parley|go run \./cmd/parley) ((?:"[^"]*"|'[^']*'|[^|&;<>"')])+)`)
	rest := regexp.MustCompile("(?ms)^```\\w*\n(.*?)^```").ReplaceAllStringFunc(string(text), func(block string) string {
		for line := range strings.Lines(block) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "$ ") || regexp.MustCompile(`^(- (run: )?)?(parley|go run) `).MatchString(line) {
				for _, m := range begins.FindAllStringSubmatch(line, -1) {
					lines = append(lines, documented{m[1], true})
				}
			}
		}
		return ""
	})
	for _, m := range regexp.MustCompile("`parley ([^`]+)`").FindAllStringSubmatch(rest, -1) {
		lines = append(lines, alternatives(m[1])...)
	}
	return lines
}

// alternatives reads a line of a sentence or a table: `key create\|list` are two.
func alternatives(line string) []documented {
	words := strings.Fields(strings.ReplaceAll(line, `\|`, "|"))
	for i, word := range words {
		if strings.HasPrefix(word, "[") || strings.ToLower(word) != word {
			words = words[:i]
			break
		}
		if names := strings.Split(word, "|"); len(names) > 1 {
			var all []documented
			for _, name := range names {
				all = append(all, documented{strings.Join(append(words[:i:i], name), " "), false})
			}
			return all
		}
	}
	return []documented{{strings.Join(words, " "), false}}
}

// taken returns the command line's error for the words of a line.
func taken(line string, whole bool) error {
	var words []string
	for _, m := range regexp.MustCompile(`"([^"]*)"|'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		words = append(words, m[1]+m[2]+m[3])
	}
	root := tree()
	root.InitDefaultHelpCmd()
	c, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	addDefaultFlags(c)
	if err := c.ParseFlags(rest); err != nil {
		return explainFlagError(c, err)
	}
	if !whole && !c.HasSubCommands() {
		return nil
	}
	return c.ValidateArgs(c.Flags().Args())
}

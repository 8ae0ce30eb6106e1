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

// TestDeployFiles: the servers of compose and units start, trust one proxy, and have enough time to stop.
func TestDeployFiles(t *testing.T) {
	t.Parallel()
	for file, stops := range map[string]string{"compose.yaml": "stop_grace_period: 45s", "parley.service": "TimeoutStopSec=45", "parley@.service": "TimeoutStopSec=45"} {
		content := assert.Value(os.ReadFile("../docs/deploy/" + file))(t)
		text := string(content)
		line := startedBy(text)
		assert.NoError(t, taken(line, true), "%s: `%s`", file, line)
		for _, want := range []string{"--audience", "--drain-delay", "--data"} {
			assert.Contains(t, line, want, "%s: no", file)
		}
		assert.Contains(t, text, stops, "%s: no", file)
	}
}

func startedBy(text string) string {
	if line := regexp.MustCompile(`(?m)^ExecStart=\S+ (.*)$`).FindStringSubmatch(text); line != nil {
		return strings.NewReplacer("$PARLEY_OPTIONS", "--trusted-proxy 10.0.0.5/32", "${PARLEY_URL}", "https://npc.example.com", "${PARLEY_AUDIENCE}", "parley", "%i", "8787", "%d", "/run").Replace(line[1])
	}
	_, list, _ := strings.Cut(text, "  command:\n")
	list, _, _ = strings.Cut(list, "  environment:")
	var words []string
	for _, m := range regexp.MustCompile(`(?m)^    - (.*)$`).FindAllStringSubmatch(list, -1) {
		words = append(words, m[1])
	}
	return strings.Join(words, " ")
}

func TestComposeTrustsOneProxy(t *testing.T) {
	t.Parallel()
	content := assert.Value(os.ReadFile("../docs/deploy/compose.yaml"))(t)
	_, proxy, _ := strings.Cut(string(content), "\n  proxy:\n")
	address := regexp.MustCompile(`ipv4_address: ([0-9.]+)`).FindStringSubmatch(proxy)
	trusted := regexp.MustCompile(`--trusted-proxy=(\S+)`).FindAllStringSubmatch(string(content), -1)
	assert.True(t, address != nil && len(trusted) == 1 && trusted[0][1] == address[1]+"/32", "trusted are %v, the proxy is at %v", trusted, address)
}

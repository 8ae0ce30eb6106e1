package cmd

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/assert"
)

func newWordTree() *cobra.Command {
	return newRootCmd(&service.Access{Environment: &service.Environment{Streams: &cli.Streams{Lookup: os.LookupEnv}}})
}

// TestEveryFieldListWithASpace: all commands take a field behind --json, and check it before they run.
func TestEveryFieldListWithASpace(t *testing.T) {
	t.Parallel()
	for path, c := range commands(t) {
		f := c.Flags().Lookup(cli.JSONName)
		if f == nil {
			continue
		}
		fields := f.Value.(*cli.JSONFlag).FieldNames()
		assert.True(t, len(fields) != 0 || path == "api", "%s does not know its fields", path)
		if path == "api" {
			fields = []string{"id", "name"}
		}
		var given []string
		for len(given) < 4 && c.ValidateArgs(given) != nil {
			given = append(given, "Given")
		}
		list := strings.Join(fields[:min(2, len(fields))], ",")
		for at := range len(given) + 1 {
			words := slices.Insert(slices.Clone(given), at, "--json", list)
			want := slices.Insert(slices.Clone(given), at, "--json="+list)
			got := assert.Value(joinJSONFields(newWordTree(), append(strings.Fields(path), words...)))(t)
			assert.EqualSlices(t, got, append(strings.Fields(path), want...), "parley %s %q", path, words)
		}
	}
}

// TestWordsBehindJSON: a word that is no list of fields is an argument, unless it would be said to a character.
func TestWordsBehindJSON(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"persona list --json":                        "persona list --json",
		"persona save --json cat.yaml":               "persona save --json cat.yaml",
		"persona lint --json personas":               "persona lint --json personas",
		"persona show --json Biscuit":                "persona show --json Biscuit",
		"persona show --json biscuit":                "persona show --json biscuit",
		"say Biscuit Hello --json":                   "say Biscuit Hello --json",
		"say --json Biscuit hello":                   "say --json Biscuit hello",
		"say Biscuit --json hello":                   "say Biscuit --json hello",
		"say Biscuit -- --json message Hello":        "say Biscuit -- --json message Hello",
		"say --session --json message Biscuit Hello": "say --session --json message Biscuit Hello",
		"-q persona list --json name,id":             "persona list -q --json=name,id",
		"persona list --json name --json id":         "persona list --json=name --json=id",
		"persona list --json=name id":                "persona list --json=name id",
		"api GET --json id personas":                 "api GET --json=id personas",
		"api --json GET personas":                    "api --json GET personas",
		"api --json personas":                        "api --json personas",
		"localserver exec x --json id":               "localserver exec x --json id",
		"nonsense --json id":                         "nonsense --json id",
		"chat --json id":                             "chat --json id",
		"persona show --json persona":                "persona show --json=persona",
		"say Biscuit --json reply Hello":             "say Biscuit --json=reply Hello",
		"say Biscuit --json message,state Hello":     "say Biscuit --json=message,state Hello",
		"persona list --json nam":                    "persona list --json=nam",
		"persona lint --json findings,x cat.yaml":    "persona lint --json=findings,x cat.yaml",
	} {
		got := assert.Value(joinJSONFields(newWordTree(), strings.Fields(line)))(t)
		assert.Equal(t, strings.Join(got, " "), want, "parley %s", line)
	}
}

// TestUnknownFields: an unknown field is refused with the list of fields, and nothing is said to a character.
func TestUnknownFields(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"persona list --json nam", "say Biscuit --json reply Hello", "say Biscuit --json=reply Hello"} {
		got := runHere(t.Context(), t, map[string]string{"PARLEY_SERVER": cmdtest.Nowhere}, strings.Fields(line)...)
		assert.Equal(t, got.code, 2, "parley %s: %d %s", line, got.code, got.talk)
		assert.Contains(t, got.talk, "unknown field", "parley %s: %d %s", line, got.code, got.talk)
		assert.Contains(t, got.talk, "the fields are", "parley %s: %d %s", line, got.code, got.talk)
	}
}

// TestFieldOrFile: a word that is a field and a file is refused before anything is done.
func TestFieldOrFile(t *testing.T) {
	t.Chdir(t.TempDir())
	assert.NoError(t, os.WriteFile("id", nil, 0o600))
	_, err := joinJSONFields(newWordTree(), []string{"persona", "save", "--json", "id", "cat.yaml"})
	assert.ErrorContains(t, err, "`--json=id` for the field, `id --json` for the file")
	assert.Value(joinJSONFields(newWordTree(), []string{"persona", "save", "--json=id", "cat.yaml"}))(t)
}

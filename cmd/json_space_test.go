package cmd

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
)

// newWordTree is a tree of commands to read words with.
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
			got, _, err := joinJSONFields(newWordTree(), append(strings.Fields(path), words...))
			if want = append(strings.Fields(path), want...); err != nil || !slices.Equal(got, want) {
				t.Errorf("parley %s %q is read as %q (%v), want %q", path, words, got, err, want)
			}
		}
	}
}

// TestWordsBehindJSON: a word that is no list of fields is an argument, and an ambiguous one is refused.
func TestWordsBehindJSON(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"persona list --json":                        "persona list --json",
		"persona save --json cat.yaml":               "persona save --json cat.yaml",
		"persona show --json Biscuit":                "persona show --json Biscuit",
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
		"say Biscuit --json message":                 "! `--json=message` `message --json`",
		"persona show --json persona":                "! `--json=persona` `persona --json`",
		"say Biscuit --json reply Hello":             "! \"reply\" message `reply --json`",
		"say Biscuit --json message,state Hello":     "! \"state\" current_state",
		"say Biscuit --json scor Hello":              "! \"scor\" score",
		"persona list --json nam":                    "! \"nam\" name",
	} {
		got, _, err := joinJSONFields(newWordTree(), strings.Fields(line))
		if parts, refused := strings.CutPrefix(want, "! "); refused {
			for _, part := range strings.Fields(strings.ReplaceAll(parts, " --json`", "\x00--json`")) {
				part = strings.ReplaceAll(part, "\x00", " ")
				assert.ErrorContains(t, err, part, "parley %s", line)
			}
			continue
		}
		if text := strings.Join(got, " "); err != nil || text != want {
			t.Errorf("parley %s is read as %q (%v), want %q", line, text, err, want)
		}
	}
}

// TestFieldOrFileOrPersona: a word that is a field and a file or persona is refused at once.
func TestFieldOrFileOrPersona(t *testing.T) {
	server, err := localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, Log: slog.New(slog.DiscardHandler)})
	assert.NoError(t, err)
	defer func() { _ = server.Close() }()
	env := map[string]string{"PARLEY_SERVER": server.URL(), "PARLEY_TOKEN": server.Token(), "PARLEY_STATE_DIR": t.TempDir()}
	t.Chdir(t.TempDir())
	starter := assert.Value(examples.Read("starter"))(t)
	for name, called := range map[string]string{"cat.yaml": "Biscuit", "name.yaml": "name", "id": "Third"} {
		text := strings.Replace(string(starter), "name: Biscuit", "name: "+called, 1)
		assert.NoError(t, os.WriteFile(filepath.Join(".", name), []byte(text), 0o600))
	}
	for _, step := range []struct {
		line string
		code int
		says string // in stdout or stderr
	}{
		{"persona save cat.yaml name.yaml", 0, ""},
		{"persona save --json id cat.yaml", 2, "--json=id"},
		{"persona save --json=id cat.yaml", 0, `"id"`},
		{"persona lint --json findings cat.yaml", 0, `"findings": []`},
		{"persona diff --json same cat.yaml cat.yaml", 0, "{\n  \"same\": true\n}"},
		{"persona lint --jq .findings|length cat.yaml", 0, "0"},
		{"persona lint --json --format oneline cat.yaml", 2, "--output"},
		{"persona delete --yes --json name Biscuit", 2, "--json=name"},
		{"persona show Biscuit --json persona", 0, `"persona"`},
		{"say Biscuit --json message,aside Hello you", 0, `"message"`},
		{"say Biscuit --json reply Hello you", 2, "reply --json"},
		{"session history Biscuit --jq .machines[].messages[].content", 0, "Hello you"},
	} {
		got := runHere(t.Context(), t, env, strings.Fields(step.line)...)
		assert.Equal(t, got.code, step.code, "parley %s %s %s", step.line, got.out, got.talk)
		assert.Contains(t, got.out+got.talk, step.says, "parley %s %s %s", step.line, got.out, got.talk)
		assert.NotContains(t, got.out, "reply Hello you", "parley %s: the field was said to the character", step.line)
	}
}

// TestCompleteBehindJSON: fields are offered beside arguments, and a list is not counted as one.
func TestCompleteBehindJSON(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"persona list --json |":           {"created_at", "description", "id", "is_public", "name"},
		"persona list --json id,n|":       {"id,name"},
		"completion --json |":             nil,
		"persona list --json id --mi|":    {"--mine"},
		"persona lint --json fi|":         {"findings"},
		"persona graph --format |":        {"terminal", "mermaid", "dot", "svg", "png"},
		"session history --json ma|":      {"machines"},
		"persona list --jq .x --json na|": {"name"},
	} {
		words := strings.Split(strings.TrimSuffix(line, "|"), " ")
		got := runHere(t.Context(), t, map[string]string{"PARLEY_SERVER": "http://127.0.0.1:1"}, append([]string{"__completeNoDesc"}, words...)...)
		offered := strings.Split(strings.TrimSpace(got.out), "\n")
		offered = offered[:max(len(offered)-1, 0)] // the last line is cobra's
		for _, word := range want {
			assert.True(t, slices.Contains(offered, word), "%s completes %q, want %q in it", line, offered, word)
		}
		assert.True(t, want != nil || !slices.Contains(offered, "id"), "%s completes %q", line, offered)
	}
}

package cmd

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas/assert"
)

// tables are the tables that commands print, with the heads of their columns, and a command line
// that prints rows of each, with the places of TestSchemas: each new table or column must be added
// here.
var tables = []struct {
	head   []string
	line   string
	values int // in a row elsewhere than on a terminal, where not as many as heads
}{
	{[]string{"ID", "NAME", "KEY", "CREATED", "LAST USED"}, "key list", 0},
	{[]string{"METHOD", "PATH", "WHAT"}, "api --list", 0},
	{[]string{"SETTING", "VALUE", "FROM"}, "config list", 0},
	{[]string{"", "NAME", "SERVER", "FROM"}, "profile list", 0},
	{[]string{"SESSION", "PERSONA", "LABEL", "PLAYER", "STANDS AT", "SCORE", "LAST USED"}, "session list", 0},
	{[]string{"SESSION", "MACHINE", "STATE", "SCORE", "MESSAGES", "ENDING", "VERSION", "STARTED"}, "session list --all-players --persona $PERSONA", 0},
	{[]string{"ID", "NAME", "SEEN BY", "CREATED", "DESCRIPTION"}, "persona list", 0},
	{[]string{"WHAT", "NAME", "PROOF"}, "persona prove $FILE", 5},
	{[]string{"CHECK", "LEVEL", "WHAT IT SAYS"}, "persona lint --explain", 0},
	{[]string{"ID", "NAME"}, "persona delete --dry-run $PERSONA", 0},
}

// TestTables: the tables of the commands have the listed heads, and as many values in each row without a terminal.
func TestTables(t *testing.T) {
	t.Parallel()
	server := assert.Value(localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: datafolder.Memory}))(t)
	defer func() { _ = server.Close() }()
	env := map[string]string{"PARLEY_SERVER": server.URL(), "PARLEY_TOKEN": server.Token(), "PARLEY_STATE_DIR": t.TempDir()}
	places := schemaPlaces(t, env)
	made := runHere(t.Context(), t, env, "key", "create", "game")
	assert.Must(t, made.code == 0, made.talk)
	for _, table := range tables {
		t.Run(table.line, func(t *testing.T) {
			args := strings.Fields(places.Replace(table.line))
			piped := runHere(t.Context(), t, env, args...)
			for line := range strings.Lines(piped.out) {
				assert.Equal(t, len(strings.Split(strings.TrimSuffix(line, "\n"), "\t")), cmp.Or(table.values, len(table.head)), "%q values", line)
			}
			a, shown, talk := cmdtest.NewAccess(t, env)
			a.TTY.Out = true
			code := Run(t.Context(), a, args)
			headed := slices.ContainsFunc(strings.Split(ansi.Strip(shown.String()), "\n"), func(line string) bool {
				return slices.Equal(strings.Fields(line), strings.Fields(strings.Join(table.head, " ")))
			})
			assert.Equal(t, code, piped.code, "%d, %d: no line has the head %q:\n%s%s", code, piped.code, table.head, shown, talk)
			assert.True(t, headed, "%d, %d: no line has the head %q:\n%s%s", code, piped.code, table.head, shown, talk)
			assert.True(t, piped.out != "", "%d, %d: no line has the head %q:\n%s%s", code, piped.code, table.head, shown, talk)
		})
	}
}

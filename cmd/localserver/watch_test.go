package localservercmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func watching(t *testing.T, folder, data, listen string) (*cmdtest.Server, *cmdtest.Buffer) {
	t.Helper()
	p := exec.Command(os.Args[0], "localserver", "--listen", listen, "--watch", ".")
	p.Dir = folder
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+data, "PARLEY_DATA_DIR="+data, "PARLEY_CONFIG_DIR="+data, "PARLEY_STATE_DIR="+data)
	talk := &cmdtest.Buffer{}
	p.Stderr = talk
	s := assert.Value(cmdtest.StartServer(p))(t)
	t.Cleanup(s.Kill)
	return s, talk
}

// TestServerWatches: a changed file is a new version for new sessions, and a broken one is reported.
func TestServerWatches(t *testing.T) {
	t.Parallel()
	folder, file := cmdtest.WritePersonaFile(t)
	data := t.TempDir()
	s, talk := watching(t, folder, data, "127.0.0.1:0")
	talk.Await(t, "saved echo.yaml, Echo (", 1)
	c := cmdtest.NewClient(t, s.Address, signedIn(t, data))
	persona := onlyPersona(t, c)
	if _, err := c.PublishPersona(t.Context(), persona); err != nil {
		t.Fatal(err)
	}
	open := func(player string) {
		assert.Value(c.InitSession(t.Context(), persona, "", wire.InitSession{UserSessionID: player, PlayerName: "Mara", PlayerGender: "female"}))(t)
	}
	open("before")
	write := func(name, text string) {
		assert.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write("echo.yaml", strings.Replace(cmdtest.EndlessPersona, "Answers for ever.", "Answers for a while.", 1))
	talk.Await(t, "updated echo.yaml, Echo (", 1)
	if _, err := c.SendMessage(t.Context(), persona, "", wire.Message{Message: "hello", UserSessionID: "before"}); err != nil {
		t.Errorf("the session that was open: %v", err)
	}
	open("after")
	p, err := c.Persona(t.Context(), persona)
	assert.NoError(t, err, "%v: %+v", err, p)
	assert.Equal(t, p.Description, "Answers for a while.", "%v: %+v", err, p)
	assert.True(t, p.IsPublic, "%v: %+v", err, p)
	write("echo.yaml", strings.Replace(cmdtest.EndlessPersona, "to_state_key: end", "to_state_key: and", 1))
	talk.Await(t, "echo.yaml:12:46: error: ", 1)
	talk.Await(t, "echo.yaml has errors (see above) and was not sent", 1)
	write("echo.yaml", "# Again.\n"+strings.Replace(cmdtest.EndlessPersona, "Answers for ever.", "Answers for a while.", 1))
	write("second.yaml", strings.Replace(cmdtest.EndlessPersona, "name: Echo", "name: Second", 1))
	talk.Await(t, "saved second.yaml, Second (", 1)
	assert.NoError(t, os.Remove(file))
	talk.Await(t, "echo.yaml is missing; its persona is not deleted", 1)
	assert.Value(c.Persona(t.Context(), persona))(t, "it is gone")
	n := strings.Count(talk.String(), "updated echo.yaml")
	assert.Equal(t, n, 1, "%d updates, although a comment is no change:\n%s", n, talk.String())
	_, err = os.Stat(filepath.Join(folder, "parley.lock"))
	assert.True(t, err != nil, "a server on any free port is in parley.lock")
	assert.NoError(t, s.Interrupt(), "it ends")
}

// TestServerWatchesAgain: the next server knows files by parley.lock or, at another address, by name.
func TestServerWatchesAgain(t *testing.T) {
	t.Parallel()
	free := assert.Value(cmdtest.FreeAddress())(t)
	for _, listen := range []string{"127.0.0.1:0", free} {
		folder, _ := cmdtest.WritePersonaFile(t)
		data := t.TempDir()
		s, talk := watching(t, folder, data, listen)
		talk.Await(t, "saved echo.yaml", 1)
		first := onlyPersona(t, cmdtest.NewClient(t, s.Address, signedIn(t, data)))
		assert.NoError(t, s.Interrupt())
		text := strings.Replace(cmdtest.EndlessPersona, "Answers for ever.", "Answers again.", 1)
		assert.NoError(t, os.WriteFile(filepath.Join(folder, "echo.yaml"), []byte(text), 0o600))
		s, talk = watching(t, folder, data, listen)
		talk.Await(t, "updated echo.yaml, Echo ("+first, 1)
		s.Kill()
	}
}

func signedIn(t *testing.T, data string) string {
	t.Helper()
	in := assert.Value(identity.ReadSignIn(data))(t)
	return in.Token
}

func onlyPersona(t *testing.T, c *client.Client) string {
	t.Helper()
	items, err := c.Personas(t.Context(), client.PersonaList{Mine: true, PublicOnly: new(false)})
	assert.Must(t, err == nil && len(items) == 1, "%v: %+v", err, items)
	return items[0].ID
}

// TestServerTellsOpenConversations: a save reports open conversations, which keep their version.
func TestServerTellsOpenConversations(t *testing.T) {
	t.Parallel()
	folder, file := cmdtest.WritePersonaFile(t)
	data := t.TempDir()
	s, talk := watching(t, folder, data, "127.0.0.1:0")
	talk.Await(t, "saved echo.yaml, Echo (", 1)
	c := cmdtest.NewClient(t, s.Address, signedIn(t, data))
	persona := onlyPersona(t, c)
	for player, text := range map[string]string{"ann": "Sing to me\x1b[2J", "ben": "hello", "eve": "", "old": "x [[pass]]"} {
		_, err := c.InitSession(t.Context(), persona, "", wire.InitSession{UserSessionID: player, PlayerName: "Mara", PlayerGender: "female"})
		if err == nil && text != "" {
			_, err = c.SendMessage(t.Context(), persona, "", wire.Message{Message: text, UserSessionID: player})
		}
		assert.NoError(t, err)
	}
	edited := strings.Replace(cmdtest.EndlessPersona, "is_initial_state: true", `is_initial_state: true, offline: {examples: {redirect: ["Sing to me"]}}`, 1)
	assert.NoError(t, os.WriteFile(file, []byte(edited), 0o600))
	talk.Await(t, "open conversations stay in their version; in the new version, 2 would go the same way and 1 would differ", 1)
	talk.Await(t, `  hall, turn 1 "Sing to me`, 1)
	talk.Await(t, `became redirect to`, 1)
	assert.NotContains(t, talk.String(), "\x1b[2J", "a player's words reach the terminal as they")
	r, err := c.SendMessage(t.Context(), persona, "", wire.Message{Message: "Sing to me", UserSessionID: "ben"})
	assert.NoError(t, err, "in the version in which it began: %+v, %v", r, err)
	assert.True(t, r.Aside, "in the version in which it began: %+v, %v", r, err)
}

// TestEmptyServerSaysHowToSeed: only a server without any persona explains once how to add one.
func TestEmptyServerSaysHowToSeed(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	const advice = "parley persona save --publish FILE"
	run := func(during func(address string), args ...string) string {
		p := exec.CommandContext(t.Context(), os.Args[0], append([]string{"localserver", "--listen", "127.0.0.1:0"}, args...)...)
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+data, "PARLEY_DATA_DIR="+data, "PARLEY_CONFIG_DIR="+data, "PARLEY_STATE_DIR="+data)
		var talk cmdtest.Buffer
		p.Stderr = &talk
		s := assert.Value(cmdtest.StartServer(p))(t)
		defer s.Kill()
		during(s.Address)
		assert.NoError(t, s.Interrupt())
		return talk.String()
	}
	assert.NotContains(t, run(func(string) {}, "--quiet"), advice, "with --quiet")
	talk := run(func(address string) {
		save := cmdtest.AuthorCommand(data, data, address, "persona", "save", "--no-lock",
			filepath.Join(cmdtest.RepositoryRoot(t), "personas", "examples", "hotel.yaml"))
		cmdtest.MustRun(t, save)
	})
	assert.Equal(t, strings.Count(talk, advice), 1, "an empty server says\n%s", talk)
	if talk := run(func(string) {}); strings.Contains(talk, advice) || !strings.Contains(talk, "stop     Ctrl-C") {
		t.Errorf("a server with a persona says\n%s", talk)
	}
}

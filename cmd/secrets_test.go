package cmd_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/assert"
)

// commandsThatCall are command lines of every command that calls a service.
var commandsThatCall = []string{
	"persona list", "persona list --mine", "persona show Biscuit", "persona save cat.yaml", "persona save --publish cat.yaml", "persona publish cat.yaml",
	"persona publish Biscuit", "persona delete --yes Biscuit", "persona pull Biscuit", "persona diff cat.yaml", "persona diff --id Biscuit cat.yaml",
	"persona test --stubs cat.yaml", "persona new --generate cat", "persona polish cat.yaml --field description", "persona simulate cat.yaml",
	"say Biscuit Hello", "say --stream Biscuit Hello", "chat --plain Biscuit", "session list",
	"session history Biscuit", "session reset --yes Biscuit", "session delete --yes Biscuit",
	"progress show Biscuit", "progress reset --yes Biscuit", "key list", "key create k", "key revoke --yes k",
	"api personas", "api auth/me", "api sdk/personas", "api POST sdk/chat/x/message -f message=Hello", "api personas -H @secrets", "api sdk/personas -H @secrets",
	"doctor", "auth status", "auth logout", "auth login --device", "auth login --with-token --insecure-storage", "config list",
	"__complete persona show B", "__complete say B", "__complete key revoke k",
}

// TestSecretsGoWhereTheUserSays: no secret is sent to a server that only a project's file names.
func TestSecretsGoWhereTheUserSays(t *testing.T) {
	t.Parallel()
	const secret = "swordfish"
	var mu sync.Mutex
	var heard []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, _ := httputil.DumpRequest(r, true)
		mu.Lock()
		heard = append(heard, string(request))
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `[]`)
	}))
	defer s.Close()
	home, folder := t.TempDir(), t.TempDir()
	starter := assert.Value(os.ReadFile("../personas/examples/starter.yaml"))(t)
	put := func(name, text string) {
		assert.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	put("cat.yaml", string(starter))
	put("secrets", "Authorization: Bearer "+secret+"-4\nCookie: "+secret+"-5\n")
	run := func(line string, more ...string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		p := exec.CommandContext(ctx, os.Args[0], strings.Fields(line)...)
		p.Dir, p.Stdin = folder, strings.NewReader(secret+"-6\n")
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+home, "PARLEY_CONFIG_DIR="+home,
			"PARLEY_STATE_DIR="+home, "PARLEY_DATA_DIR="+home, "PARLEY_SERVER=", "PARLEY_TIMEOUT=2s",
			"PARLEY_TOKEN="+secret+"-1", "PARLEY_API_KEY="+secret+"-2", "PARLEY_LLM_API_KEY="+secret+"-3", "OLLAMA_HOST="+s.URL, "DBUS_SESSION_BUS_ADDRESS=")
		p.Env = append(p.Env, more...)
		_ = p.Run()
	}
	told := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		for _, request := range heard {
			assert.NotContains(t, request, secret, "parley %s sends", line)
		}
		heard = nil
	}
	for _, server := range []string{s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1), s.URL + "/", strings.Replace(s.URL, "http", "HTTP", 1)} {
		put(".parley.yaml", fmt.Sprintf("server: %s\nllm_model: ollama/llama3.2\n", server))
		for _, line := range commandsThatCall {
			if server == s.URL || strings.HasPrefix(line, "api ") || line == "persona list" {
				run(line)
				told(line)
			}
		}
	}
	for line, which := range map[string]string{"persona list": "-1", "api sdk/personas": "-2", "api POST sdk/chat/x/message -f message=Hello": "-3"} {
		run(line, "PARLEY_SERVER="+s.URL)
		mu.Lock()
		assert.Contains(t, strings.Join(heard, "\n"), secret+which, "parley %s sends no secret where the user names the server", line)
		heard = nil
		mu.Unlock()
	}
}

// TestEveryKeyIsHidden: a provider that is added to the table has its keys hidden from other programs.
func TestEveryKeyIsHidden(t *testing.T) {
	hidden := service.HiddenVariables()
	for _, p := range provider.Providers {
		for _, name := range append(p.KeyVariables, models.KeyVariables()...) {
			assert.True(t, slices.Contains(hidden, name), "%s of %s is not hidden", name, p.Title)
		}
	}
}

package service_test

import (
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/models"
)

// TestOwnTurnTimeout: a client waits longer than judge and voice of its own server together.
func TestOwnTurnTimeout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		llm    models.Settings
		models time.Duration // of the judge and the voice together
	}{
		"offline":         {models.Settings{}, 0},
		"on this machine": {models.Settings{Model: "openai/x", BaseURL: "http://127.0.0.1:9/v1"}, 2 * 2 * time.Minute},
		"with a limit":    {models.Settings{Model: "openai/x", BaseURL: "http://127.0.0.1:9/v1", Timeout: 10 * time.Minute}, 2 * 10 * time.Minute},
	} {
		c.llm.Env = func(string) string { return "" }
		server, err := localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, LLM: c.llm})
		if err != nil {
			t.Fatal(name, err)
		}
		t.Cleanup(func() { _ = server.Close() })
		if got := service.OwnTurnTimeout(server); got <= c.models || got <= server.TurnLimit() || got > c.models+3*time.Minute {
			t.Errorf("%s: %s for models that may take %s", name, got, c.models)
		}
	}
}

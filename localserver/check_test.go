package localserver_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas/assert"
)

// TestCheckData: a folder's database is whole, absent, in use or damaged.
func TestCheckData(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	assert.ErrorIs(t, datafolder.CheckDatabase(ctx, dir), fs.ErrNotExist, "without a database")
	s := assert.Value(localserver.Start(ctx, localserver.Options{Listen: "127.0.0.1:0", Data: dir}))(t)
	assert.ErrorIs(t, datafolder.CheckDatabase(ctx, dir), datafolder.ErrBusy, "while a server runs")
	assert.NoError(t, s.Shutdown(ctx))
	assert.NoError(t, datafolder.CheckDatabase(ctx, dir), "afterwards")
	file := filepath.Join(dir, "parley.db")
	content := assert.Value(os.ReadFile(file))(t)
	for i := 8192; i < 20480; i++ {
		content[i] = 0xaa
	}
	assert.NoError(t, os.WriteFile(file, content, 0o600))
	assert.True(t, datafolder.CheckDatabase(ctx, dir) != nil, "a database with torn pages is whole")
}

func TestEndpoints(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range localserver.Endpoints() {
		assert.True(t, e.Summary != "" && !seen[e.Method+e.Path], "%+v", e)
		seen[e.Method+e.Path] = true
		assert.True(t, !e.ModelKey || e.SDK, "%s takes a model's key but no API key", e.Path)
	}
	for _, want := range []string{"POST/api/v1/creator/save", "DELETE/api/v1/sdk/api-keys/{key_id}", "GET/healthz"} {
		assert.True(t, seen[want], "%s is not listed", want)
	}
}

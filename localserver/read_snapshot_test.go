package localserver

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestReadSnapshot reads the conversations of all players from a snapshot, stops when the callback
// returns an error, and refuses a damaged file.
func TestReadSnapshot(t *testing.T) {
	dir := t.TempDir()
	h := begin(t, func(o *Options) { o.Data = dir })
	id := h.publishPersona()
	for _, player := range []string{"ann", "bea"} {
		h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON(player)).want(200)
		h.sayAs("", id, player, "I am "+player)
	}
	h.fork("", id, "ann", 1)
	file := filepath.Join(dir, "all.parley")
	assert.Value(Snapshot(t.Context(), Database{Address: h.database}, dir, file, false, nil))(t)
	const name = "Gate guard"
	said := map[string]int{}
	err := ReadSnapshot(t.Context(), file, name, time.Now(), func(machine, _ string, messages []wire.HistoryMessage) error {
		assert.Equal(t, machine, "gate")
		assert.Equal(t, len(messages), 3)
		said[messages[1].Content]++
		return nil
	})
	assert.True(t, err == nil && said["I am ann"] == 2 && said["I am bea"] == 1, "%v, %v", said, err)
	stop, calls := errors.New("stop"), 0
	err = ReadSnapshot(t.Context(), file, name, time.Now(), func(string, string, []wire.HistoryMessage) error { calls++; return stop })
	assert.ErrorIs(t, err, stop)
	assert.Equal(t, calls, 1)
	err = ReadSnapshot(t.Context(), file, "nobody", time.Now(), func(string, string, []wire.HistoryMessage) error { calls++; return nil })
	assert.NoError(t, err)
	assert.Equal(t, calls, 1)
	assert.NoError(t, os.WriteFile(file, []byte("SQLite format 3\x00 and no more"), 0o600))
	assert.True(t, ReadSnapshot(t.Context(), file, name, time.Now(), nil) != nil, "a damaged snapshot was read")
}

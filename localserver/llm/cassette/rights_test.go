//go:build !windows

package cassette

import (
	"os"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// A recording that was created with more permissions than recordings have loses them when it is
// written again, with or without new answers, and also when it is sorted.
func TestRightsOfRecordingsAreMended(t *testing.T) {
	for _, asks := range []int{0, 1} {
		path := recordAll(t, echoAsker(), conversationRequests()[:2]...)
		assert.NoError(t, os.Chmod(path, 0o666))
		rec := openRecorder(t, path)
		for range asks {
			askOnce(t, rec.Wrap(echoAsker()), conversationRequests()[2])
		}
		assert.NoError(t, rec.Close())
		info := assert.Value(os.Stat(path))(t, asks)
		assert.Equal(t, info.Mode().Perm(), 0o600, asks)
	}
}

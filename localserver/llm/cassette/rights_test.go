//go:build !windows

package cassette

import (
	"os"
	"testing"
)

// A recording that was created with more permissions than recordings have loses them when it is
// written again, with or without new answers, and also when it is sorted.
func TestRightsOfRecordingsAreMended(t *testing.T) {
	for _, asks := range []int{0, 1} {
		path := recordAll(t, echoAsker(), conversationRequests()[:2]...)
		if err := os.Chmod(path, 0o666); err != nil {
			t.Fatal(err)
		}
		rec := openRecorder(t, path)
		for range asks {
			askOnce(t, rec.Wrap(echoAsker()), conversationRequests()[2])
		}
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%d more answers: %v, %v", asks, info.Mode(), err)
		}
	}
}

package cli

import (
	"fmt"
	"os"
	"time"
)

// WatchPause is how long the watch waits between two looks at the files.
const WatchPause = 400 * time.Millisecond

// FileState returns a text that changes when a file does.
func FileState(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "unreadable"
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

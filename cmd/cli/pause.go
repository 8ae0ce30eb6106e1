package cli

import "time"

// WatchPause is how long the watch waits between two looks at the files.
const WatchPause = 400 * time.Millisecond

package cmd

import "time"

// watchPause is how long the watch waits between two looks at the files.
const watchPause = 400 * time.Millisecond

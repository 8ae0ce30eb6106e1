//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package chat

// sessionLeader is unknown where programs are not suspended, as on Windows.
func sessionLeader() (pid int, ok bool) { return 0, false }

func processGroup() int { return 0 }

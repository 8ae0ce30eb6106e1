//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package chat

// sessionLeader returns false on systems without job control, such as Windows.
func sessionLeader() (pid int, ok bool) { return 0, false }

func processGroup() int { return 0 }

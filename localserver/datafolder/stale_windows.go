package datafolder

import "io/fs"

// isOwn returns false, so that stale folders are not removed on Windows. A folder can only be
// removed safely while it is locked, and Windows cannot remove a locked file.
func isOwn(fs.FileInfo) bool { return false }

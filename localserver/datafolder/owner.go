package datafolder

// owner is the owner of a folder. A server that runs as this user must be able to use the files
// that root creates in the folder.
type owner struct {
	folder   string
	uid, gid int
}

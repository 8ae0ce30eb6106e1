package datafolder

// owner is the owner of a folder. The files that root creates in the folder must belong to this
// user, so that the user's server can use them.
type owner struct {
	folder   string
	uid, gid int
}

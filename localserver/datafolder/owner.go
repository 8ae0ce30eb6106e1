package datafolder

// owner is the owner of a folder. The server of this user must be able to use files that root creates
// there.
type owner struct {
	folder   string
	uid, gid int
}

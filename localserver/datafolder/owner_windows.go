package datafolder

// ownerOf returns false, because on Windows a new file inherits the permissions of its folder.
func ownerOf(string) (who owner, ok bool) { return owner{}, false }

func (owner) take(string) error { return nil }

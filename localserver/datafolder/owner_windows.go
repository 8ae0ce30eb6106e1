package datafolder

// On Windows, a new file inherits the permissions of its folder.
func ownerOf(string) (o owner, ok bool) { return owner{}, false }

func (owner) chown(string) error { return nil }

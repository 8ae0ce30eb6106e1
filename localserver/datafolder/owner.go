package datafolder

import "errors"

// owner is the owner of a folder. A server that runs as this user must be able to use the files
// that root creates in the folder.
type owner struct {
	folder   string
	uid, gid int
}

func (o owner) takeAll(paths ...string) error {
	var errs []error
	for _, path := range paths {
		errs = append(errs, o.take(path))
	}
	return errors.Join(errs...)
}

package datafolder

import "errors"

// owner is the owner of a folder. root creates files in the folder for a server that runs as this
// user.
type owner struct {
	folder   string
	uid, gid int
}

// takeAll calls take for each path.
func (o owner) takeAll(paths ...string) error {
	var errs []error
	for _, path := range paths {
		errs = append(errs, o.take(path))
	}
	return errors.Join(errs...)
}

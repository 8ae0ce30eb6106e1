package datafolder

import "errors"

// owner is the owner of a folder that root writes into for a server that runs as another user.
type owner struct {
	folder   string
	uid, gid int
}

// takeAll returns him all that root has made at paths.
func (o owner) takeAll(paths ...string) error {
	var errs []error
	for _, path := range paths {
		errs = append(errs, o.take(path))
	}
	return errors.Join(errs...)
}

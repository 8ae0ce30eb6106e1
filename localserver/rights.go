package localserver

import (
	"context"
	"log/slog"

	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/atomicfile"
)

// PrivateFiles are the files of a data folder that only its owner may read: sign-ins, the
// signing key, and the database. They need not be there.
func PrivateFiles(dir string) []string {
	return append(identity.PrivateFiles(dir), datafolder.DatabaseFiles(dir)...)
}

// privateMode is the mode of private files.
const privateMode = 0o600

// narrowRights removes the permissions of other users for the files of the data folder, and logs
// that, because they may have been read already.
func (s *Server) narrowRights(ctx context.Context, log *slog.Logger) {
	for _, wide := range atomicfile.NarrowRights(privateMode, PrivateFiles(s.Dir())...) {
		attrs := []slog.Attr{slog.String("file", wide.Path), slog.String("mode", wide.Found.String())}
		if wide.Err != nil {
			attrs = append(attrs, slog.Any("error", wide.Err))
		}
		log.LogAttrs(ctx, slog.LevelWarn, "others on this machine could read a file of the data folder: it is made 0600", attrs...)
	}
}

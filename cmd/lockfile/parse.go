package lockfile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// DamagedError is a parley.lock that cannot be read, and where.
type DamagedError struct {
	File         string
	Line, Column int
	Why          string
}

// Error returns the fault as "file:line:column: why".
func (d *DamagedError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Why)
}

// Parse reads the text of a parley.lock. It takes only what Encode can write, in
// any layout and order: a file of a later version, a member that it does not
// know, and a file that is there twice are refused, since writing it again
// would lose them.
func Parse(name string, src []byte) (*Lock, error) {
	if line := conflictLine(string(src)); line > 0 {
		return nil, &DamagedError{name, line, 1, "a merge left its marks here; keep the entries of both sides, one for each file and server"}
	}
	value, places, faults := personas.Values(name+".yaml", src)
	if len(faults) > 0 {
		return nil, &DamagedError{name, faults[0].Pos.Line, faults[0].Pos.Column, faults[0].Message}
	}
	r := &lockReader{}
	l := r.readLock(value)
	if r.why != "" {
		at := places.Lookup(r.path)
		return nil, &DamagedError{name, at.Line, at.Column, r.why}
	}
	return l, nil
}

// conflictLine returns the line of the first mark that a merge left, 0 without one.
func conflictLine(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		n++
		if strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") {
			return n
		}
	}
	return 0
}

// lockReader keeps the first thing that is wrong, and its path.
type lockReader struct{ path, why string }

func (r *lockReader) setFault(path, format string, args ...any) {
	if r.why == "" {
		r.path, r.why = path, fmt.Sprintf(format, args...)
	}
}

func (r *lockReader) readLock(value json.RawMessage) *Lock {
	l := &Lock{}
	top := r.readObject("", value, "version", "personas")
	version := 0
	if err := json.Unmarshal(top["version"], &version); err != nil || version < 1 {
		r.setFault("version", "version must be %d", Version)
	}
	if version > Version {
		r.setFault("version", "version %d was written by a later parley, this one knows %d: upgrade it", version, Version)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(top["personas"], &items); err != nil {
		r.setFault("personas", "personas must be a list")
	}
	for i, item := range items {
		r.readEntry(l, "personas["+strconv.Itoa(i)+"]", item)
	}
	return l
}

// readObject reads an object that has exactly these members.
func (r *lockReader) readObject(path string, value json.RawMessage, members ...string) map[string]json.RawMessage {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(value, &object); err != nil || object == nil {
		r.setFault(path, "here must be the members %s", strings.Join(members, ", "))
	}
	for _, name := range members {
		if object[name] == nil {
			r.setFault(path, "%s is missing", name)
		}
	}
	for name := range object {
		if !slices.Contains(members, name) {
			r.setFault(path, "there are other members than %s", strings.Join(members, ", "))
		}
	}
	return object
}

func (r *lockReader) readEntry(l *Lock, path string, value json.RawMessage) {
	names := []string{"file", "server", "id", "sha256", "updated_at"}
	members := r.readObject(path, value, names...)
	var e Entry
	for i, text := range []*string{&e.File, &e.Server, &e.ID, &e.SHA256, &e.UpdatedAt} {
		if json.Unmarshal(members[names[i]], text) != nil {
			r.setFault(path+"."+names[i], "%s must be a text", names[i])
		}
	}
	if r.why != "" {
		return
	}
	if member, why := e.findFault(); why != "" {
		r.setFault(path+"."+member, "%s %s", member, why)
		return
	}
	if _, twice := l.FindEntry(e.Server, e.File); twice {
		r.setFault(path, "%s on %s stands here twice; keep one of the entries", e.File, e.Server)
		return
	}
	if err := l.PutEntry(e); err != nil {
		r.setFault(path, "%v", err)
	}
}

package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A LintIgnore is an item of lint.ignore in a project's file, which drops findings of a check.
// Files are globs with forward slashes below Folder, or empty for all files. Origin is the
// project's file.
type LintIgnore struct {
	Check  string   `json:"check"`
	Files  []string `json:"files"`
	Reason string   `json:"reason"`
	Folder string   `json:"-"`
	Origin string   `json:"-"`
}

// LintIgnores returns lint.ignore of the project's file.
func (s *Settings) LintIgnores() []LintIgnore { return s.lint }

// A LintSeverity is a member of lint.severity in a project's file. Level is "error", "warning",
// "info" or "off". Origin is the file and line.
type LintSeverity struct {
	Check, Level, Origin string
}

// LintSeverities returns lint.severity of the project's file, in its order.
func (s *Settings) LintSeverities() []LintSeverity { return s.severities }

const (
	lintIgnore   = "lint.ignore"
	lintSeverity = "lint.severity"
)

// SeverityOff is the level that drops the findings of a check.
const SeverityOff = "off"

func (r *fileReader) readSeverities(m *member) {
	for _, check := range r.listMembers(m) {
		var level string
		if string(check.value) == "false" { // YAML 1.1 parses off as false
			level = SeverityOff
		} else if json.Unmarshal(check.value, &level) != nil || !slices.Contains([]string{"error", "warning", "info", SeverityOff}, level) {
			r.addFault(check.path, "%s.%s must be error, warning, info or off", lintSeverity, check.name)
			continue
		}
		r.severities = append(r.severities, LintSeverity{Check: check.name, Level: level, Origin: r.placeOf(check.path)})
	}
}

func (r *fileReader) readIgnores(text json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var all []LintIgnore
	if err := d.Decode(&all); err != nil {
		return fmt.Errorf("lint.ignore is not a list of {check: NAME, files: [GLOB], reason: TEXT}: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	for i := range all {
		if err := all[i].checkIgnore(); err != nil {
			return fmt.Errorf("lint.ignore[%d]: %w", i, err)
		}
		all[i].Folder, all[i].Origin = filepath.Dir(r.path), r.path
	}
	r.ignores = all
	return nil
}

func (i *LintIgnore) checkIgnore() error {
	if i.Check == "" {
		return errors.New("the name of the check is missing; write check: NAME")
	}
	for _, glob := range i.Files {
		if right := strings.ReplaceAll(glob, `\`, "/"); right != glob {
			return fmt.Errorf("%q: separate folders with / on every system: write %s", glob, right)
		}
		if _, err := path.Match(glob, ""); err != nil {
			return fmt.Errorf("%q is not a valid glob: %w", glob, err)
		}
	}
	return nil
}

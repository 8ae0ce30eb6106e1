package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/plaintext"
)

// MaxFile is the maximum size of a settings file in bytes.
const MaxFile = 1 << 20

type settingsFile struct {
	values     map[Key]Setting
	profiles   []Profile
	ignores    []LintIgnore
	severities []LintSeverity
}

func readFile(path string, project bool) (*settingsFile, error) {
	src, err := readSource(path)
	if err != nil {
		return nil, err
	}
	return parseFile(path, src, project)
}

func readSource(path string) ([]byte, error) {
	src, err := atomicfile.ReadUpTo(path, MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("settings file %w", err)
	}
	if len(src) > MaxFile {
		return nil, fmt.Errorf("settings file %s is larger than %d KiB, the maximum", path, MaxFile>>10)
	}
	return src, nil
}

func parseFile(path string, src []byte, project bool) (*settingsFile, error) {
	r := &fileReader{settingsFile: &settingsFile{values: map[Key]Setting{}}, path: path, project: project}
	if isBlank(src) {
		return r.settingsFile, nil
	}
	value, places, faults := personas.Values(path, src)
	r.places = places
	for _, f := range faults {
		r.faults = append(r.faults, fmt.Errorf("settings file %s:%d: %s", path, f.Line, f.Message))
	}
	if len(faults) == 0 {
		r.readTop(&member{value: value})
	}
	n := 0
	for line := range strings.Lines(string(src)) {
		n++
		if lint.HoldsSecret(line) {
			fault := fmt.Errorf("settings file %s:%d: this looks like a secret; %s", r.path, n, secretAdvice)
			r.faults = append(r.faults, fault)
		}
	}
	return r.settingsFile, errors.Join(r.faults...)
}

func isBlank(src []byte) bool {
	for line := range strings.Lines(strings.TrimPrefix(string(src), "\ufeff")) {
		if line = strings.TrimSpace(line); line != "" && line != "---" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

type member struct {
	name, path string
	value      json.RawMessage
}

type fileReader struct {
	*settingsFile
	path    string
	project bool
	places  personas.SourceMap
	faults  []error
}

func (r *fileReader) placeOf(path string) string {
	return fmt.Sprintf("%s:%d", r.path, r.places.Key(path).Line)
}

func (r *fileReader) addFault(path, format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("settings file %s: %w", r.placeOf(path), fmt.Errorf(format, args...)))
}

func (r *fileReader) listMembers(group *member) []member {
	decoder := json.NewDecoder(strings.NewReader(string(group.value)))
	if string(group.value) == "null" {
		return nil
	}
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		r.addFault(group.path, "expected settings, such as server: https://play.example.com")
		return nil
	}
	var all []member
	for decoder.More() {
		name, err := decoder.Token()
		m := member{name: fmt.Sprint(name)}
		if err = errors.Join(err, decoder.Decode(&m.value)); err != nil {
			r.addFault(group.path, "%w", err)
			return nil
		}
		m.path = personas.JoinPath(group.path, m.name)
		all = append(all, m)
	}
	return all
}

func (r *fileReader) readTop(top *member) {
	for _, m := range r.listMembers(top) {
		switch {
		case isSecretName(m.name):
			r.addFault(m.path, "%s", secretFault(m.name))
		case m.name == "profiles" && r.project:
			r.addFault(m.path, "profiles belong in the user's file: a project may only choose one, with profile: NAME")
		case m.name == "profiles":
			r.readProfiles(&m)
		case m.name == "lint":
			r.readLint(&m)
		case m.name == "chat":
			r.readChat(&m)
		case strings.HasPrefix(m.name, "chat."):
			names := strings.Split(m.name, ".")
			nested := strings.Join(names, ": {") + ": …" + strings.Repeat("}", len(names)-1)
			r.addFault(m.path, "write %s with nested members: %s", m.name, nested)
		default:
			r.readSetting(&m)
		}
	}
}

func (r *fileReader) readChat(m *member) {
	if r.project {
		r.addFault(m.path, "chat belongs in the user's file: keys and mouse are the player's choice")
		return
	}
	for _, member := range r.listMembers(m) {
		if member.name != "keys" {
			member.name = "chat." + member.name
			r.readSetting(&member)
			continue
		}
		for _, key := range r.listMembers(&member) {
			key.name = chatKeys + key.name
			r.readSetting(&key)
		}
	}
}

func (r *fileReader) readLint(m *member) {
	for _, member := range r.listMembers(m) {
		name := "lint." + member.name
		switch {
		case !r.project:
			r.addFault(member.path, "%s belongs in a project's %s, "+
				"so that a check has the same result on every machine", name, ProjectFile)
		case name == lintSeverity:
			r.readSeverities(&member)
		case name != lintIgnore:
			r.addFault(member.path, "unknown setting %q (%s)", name, suggestName(name, []string{lintIgnore, lintSeverity}))
		default:
			if err := r.readIgnores(member.value); err != nil {
				r.addFault(member.path, "%w", err)
			}
		}
	}
}

func (r *fileReader) readSetting(m *member) {
	definition, err := FindDefinition(m.name)
	if err != nil {
		r.addFault(m.path, "%w", err)
		return
	}
	if r.project && definition.UserOnly {
		r.addFault(m.path, "%s is not allowed in a project's file, because it decides where people sign in: "+
			"write it into one of your profiles, or set %s", m.name, definition.Key.Variable())
		return
	}
	text, ok := r.textOf(m)
	if !ok {
		return
	}
	where := FromUser
	if r.project {
		where = FromProject
	}
	r.values[definition.Key] = Setting{Value: text, Origin: r.placeOf(m.path), Source: where}
}

func (r *fileReader) textOf(m *member) (string, bool) {
	var text string
	switchWord, isBool := map[string]string{"true": "on", "false": "off"}[string(m.value)]
	switch {
	case string(m.value) == "null":
		return "", false
	case isBool && m.name == string(ChatMouse):
		return switchWord, true
	case json.Unmarshal(m.value, &text) != nil:
		r.addFault(m.path, "%s must be a text: write it in quotes", m.name)
		return "", false
	case hasPassword(text):
		r.addFault(m.path, "the address in %s contains a password; %s", m.name, secretAdvice)
		return "", false
	}
	return text, true
}

const secretAdvice = "a secret is never read from a settings file: remove it, " +
	"revoke it if others may have seen it, and use `parley auth login` or the environment"

func secretFault(name string) string {
	return name + " looks like the name of a secret; " + secretAdvice
}

var addressWithPassword = plaintext.Pattern(`^[a-zA-Z][a-zA-Z0-9+.-]*://[^/@\s]*:[^/@\s]+@`)

func hasPassword(text string) bool { return addressWithPassword().MatchString(text) }

// CheckSecret returns an error for a value that a settings file must not contain.
func CheckSecret(value string) error {
	if lint.HoldsSecret(value) || hasPassword(value) {
		return errors.New("the value looks like a secret; " + secretAdvice)
	}
	return nil
}

// A LintIgnore is an item of lint.ignore in the project file Origin. Files are globs below Folder,
// with forward slashes. Without Files, the item applies to all files.
type LintIgnore struct {
	Check  string   `json:"check"`
	Files  []string `json:"files"`
	Reason string   `json:"reason"`
	Folder string   `json:"-"`
	Origin string   `json:"-"`
}

// LintIgnores returns lint.ignore of the project's file.
func (s *Settings) LintIgnores() []LintIgnore { return s.lint }

// A LintSeverity is a member of lint.severity. Level is "error", "warning", "info" or "off".
type LintSeverity struct {
	Check, Level, Origin string
}

// LintSeverities returns lint.severity of the project's file, in the order of the file.
func (s *Settings) LintSeverities() []LintSeverity { return s.severities }

const (
	lintIgnore   = "lint.ignore"
	lintSeverity = "lint.severity"
)

// SeverityOff is the level of a check that reports no findings.
const SeverityOff = "off"

func (r *fileReader) readSeverities(m *member) {
	for _, check := range r.listMembers(m) {
		var level string
		err := json.Unmarshal(check.value, &level)
		if string(check.value) == "false" { // In YAML 1.1, off means false.
			level, err = SeverityOff, nil
		}
		if err != nil || !slices.Contains([]string{"error", "warning", "info", SeverityOff}, level) {
			r.addFault(check.path, "%s.%s must be error, warning, info or off", lintSeverity, check.name)
			continue
		}
		severity := LintSeverity{Check: check.name, Level: level, Origin: r.placeOf(check.path)}
		r.severities = append(r.severities, severity)
	}
}

func (r *fileReader) readIgnores(text json.RawMessage) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var all []LintIgnore
	if err := decoder.Decode(&all); err != nil {
		return fmt.Errorf("lint.ignore is not a list of {check: NAME, files: [GLOB], reason: TEXT}: %s",
			strings.TrimPrefix(err.Error(), "json: "))
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

// A Profile is a named set of settings. Origin is a file and line, or "built in".
type Profile struct {
	Name   string
	Values map[Key]Setting
	Origin string
}

// LocalProfile is the built-in profile with the default server of `parley localserver`.
const LocalProfile = "local"

// Profiles returns the built-in profile and then the profiles of the user's file.
func (s *Settings) Profiles() []Profile {
	server := Setting{Value: DefaultServer, Origin: "profile " + LocalProfile, Source: FromProfile}
	local := Profile{Name: LocalProfile, Origin: "built in", Values: map[Key]Setting{Server: server}}
	return append([]Profile{local}, s.profiles...)
}

// FindProfile returns a profile by its name. The error for an unknown name suggests a similar name.
func (s *Settings) FindProfile(name string) (Profile, error) {
	var names []string
	for _, p := range s.Profiles() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Profile{}, fmt.Errorf("unknown profile %q (%s)", name, suggestName(name, names))
}

func (s *Settings) chosenProfile(chosen Setting) (map[Key]Setting, error) {
	if chosen.Source == FromDefault {
		return nil, nil
	}
	p, err := s.FindProfile(chosen.Value)
	if err != nil {
		return nil, fmt.Errorf(
			"profile from %s: %w; add it with `parley profile add NAME --server ADDRESS`", chosen.Origin, err)
	}
	return p.Values, nil
}

var profileName = plaintext.Pattern(`^[a-z0-9][a-z0-9._-]{0,63}$`)

func checkProfileName(name string) error {
	if !profileName().MatchString(name) {
		return fmt.Errorf(
			"invalid profile name %q: use 1 to 64 lower-case letters, digits, dots, hyphens and underscores", name)
	}
	return nil
}

// CheckProfileName returns an error if the user cannot create a profile with the name.
func CheckProfileName(name string) error {
	if name == LocalProfile {
		return fmt.Errorf("the profile %s is built in: choose another name", LocalProfile)
	}
	return checkProfileName(name)
}

func (r *fileReader) readProfiles(member *member) {
	for _, p := range r.listMembers(member) {
		if err := CheckProfileName(p.name); err != nil {
			r.addFault(p.path, "%v", err)
			continue
		}
		profile := Profile{Name: p.name, Values: map[Key]Setting{}, Origin: r.placeOf(p.path)}
		for _, m := range r.listMembers(&p) {
			r.profileValue(profile, &m)
		}
		r.profiles = append(r.profiles, profile)
	}
}

func (r *fileReader) profileValue(p Profile, m *member) {
	names := slices.DeleteFunc(keyNames(), func(k string) bool {
		d, _ := FindDefinition(k)
		return d.Outside
	})
	switch {
	case isSecretName(m.name):
		r.addFault(m.path, "%s", secretFault(m.name))
	case !slices.Contains(names, m.name):
		r.addFault(m.path, "unknown setting %q in profile %s (%s)", m.name, p.Name, suggestName(m.name, names))
	default:
		if text, ok := r.textOf(m); ok {
			origin := fmt.Sprintf("profile %s in %s", p.Name, r.placeOf(m.path))
			p.Values[Key(m.name)] = Setting{Value: text, Origin: origin, Source: FromProfile}
		}
	}
}

func isSecretName(name string) bool {
	name = strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	for _, end := range []string{
		"token", "secret", "password", "passwd", "passphrase", "api_key", "apikey", "private_key", "credentials",
	} {
		if name == end || strings.HasSuffix(name, "_"+end) {
			return true
		}
	}
	return false
}

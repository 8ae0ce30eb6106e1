package settings

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Profile is a named set of settings, usually with a server. Origin is a file and line, or "built
// in".
type Profile struct {
	Name   string
	Values map[Key]Setting
	Origin string
}

// LocalProfile is the built-in profile with the default server of `parley localserver`.
const LocalProfile = "local"

// Profiles returns the built-in profile, and then the profiles of the user's file.
func (s *Settings) Profiles() []Profile {
	server := Setting{Value: DefaultServer, Origin: "profile " + LocalProfile, Source: FromProfile}
	local := Profile{Name: LocalProfile, Origin: "built in", Values: map[Key]Setting{Server: server}}
	return append([]Profile{local}, s.profiles...)
}

// FindProfile returns a profile by its name. For an unknown name the error suggests a similar one.
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
		return nil, fmt.Errorf("profile from %s: %w; add it with `parley profile add NAME --server ADDRESS`", chosen.Origin, err)
	}
	return p.Values, nil
}

// profileName allows only lower case, so that no two names differ only in case.
const profileName = `^[a-z0-9][a-z0-9._-]{0,63}$`

func checkProfileName(name string) error {
	if !regexp.MustCompile(profileName).MatchString(name) {
		return fmt.Errorf("invalid profile name %q: use 1 to 64 lower-case letters, digits, dots, hyphens and underscores", name)
	}
	return nil
}

// CheckProfileName returns an error if the user cannot create a profile with this name.
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
	names := slices.DeleteFunc(keyNames(), func(k string) bool { d, _ := FindDefinition(k); return d.Outside })
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
	for _, end := range []string{"token", "secret", "password", "passwd", "passphrase", "api_key", "apikey", "private_key", "credentials"} {
		if name == end || strings.HasSuffix(name, "_"+end) {
			return true
		}
	}
	return false
}

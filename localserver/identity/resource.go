package identity

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/remote"
)

// Resource is the URL that identifies a service that accepts tokens (RFC 9728 section 1.2, RFC 8707
// section 2). The zero Resource is unnamed.
type Resource struct{ url *url.URL }

// plainPath matches the paths that a resource may have: those that need no escaping in mux patterns
// and quoted headers.
var plainPath = plaintext.Pattern(`^(/[A-Za-z0-9._~-]+)*/?$`)

// ParseResource reads the URL of a service: http or https, with a plain path or none,
// without user, query and fragment.
func ParseResource(text string) (Resource, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || !remote.IsPort(u):
		err = errors.New("it must be the URL of this service, such as https://parley.example.com")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		err = errors.New("it must have no query and no fragment")
	case u.RawPath != "" || !plainPath().MatchString(u.Path) || hasDots(u.Path):
		err = errors.New("its path must be of plain letters, digits, dots and hyphens")
	}
	if err != nil {
		return Resource{}, fmt.Errorf("resource %q: %w", plaintext.RedactUser(text), err)
	}
	return Resource{u}, nil
}

func hasDots(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." {
			return true
		}
	}
	return false
}

// IsNamed reports whether the resource is set.
func (r Resource) IsNamed() bool { return r.url != nil }

// String returns the resource in its original notation, "" for the zero Resource.
func (r Resource) String() string {
	if r.url == nil {
		return ""
	}
	return r.url.String()
}

// HasOrigin reports whether the resource has an origin such as https://parley.example.com, ignoring
// the scheme, because a proxy may terminate TLS.
func (r Resource) HasOrigin(origin string) bool {
	_, host, _ := strings.Cut(origin, "://")
	return r.url != nil && strings.EqualFold(r.url.Host, host)
}

// Path is the path of the resource; "" for "/" (RFC 9728 section 3.1).
func (r Resource) Path() string {
	if r.url == nil || r.url.Path == "/" {
		return ""
	}
	return r.url.Path
}

// Origin is its scheme and host.
func (r Resource) Origin() string {
	if r.url == nil {
		return ""
	}
	return r.url.Scheme + "://" + r.url.Host
}

// Audiences are the spellings of the resource in tokens: with and without the slash of
// an empty path, which libraries add and leave out as they like (RFC 3986 section
// 6.2.3).
func (r Resource) Audiences() []string {
	if r.url == nil {
		return nil
	}
	if r.Path() == "" {
		return []string{r.Origin(), r.Origin() + "/"}
	}
	return []string{r.String()}
}

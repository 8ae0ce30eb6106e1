package identity

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

// Resource is the URL of a service that accepts tokens (RFC 9728 section 1.2, RFC 8707 section 2).
// The zero Resource means that no URL is set.
type Resource struct{ url *url.URL }

// plainPath matches the allowed paths of a resource. These paths need no escaping in mux patterns
// and in quoted header values.
var plainPath = plaintext.Pattern(`^(/[A-Za-z0-9._~-]+)*/?$`)

// ParseResource parses the URL of a service. The URL begins with http or https. It may have a path
// of plain characters, but no user, query or fragment.
func ParseResource(text string) (Resource, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || !wire.IsPort(u):
		err = errors.New("must be the URL of this service, such as https://parley.example.com")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		err = errors.New("must not have a query or a fragment")
	case u.RawPath != "" || !plainPath().MatchString(u.Path) || hasDots(u.Path):
		err = errors.New("its path may contain only letters, digits and the characters . _ ~ -")
	}
	if err != nil {
		return Resource{}, fmt.Errorf("resource %q: %w", plaintext.RedactUser(text), err)
	}
	return Resource{u}, nil
}

func hasDots(path string) bool {
	parts := strings.Split(path, "/")
	return slices.Contains(parts, ".") || slices.Contains(parts, "..")
}

// String returns the resource in its original notation, or "" for the zero Resource.
func (r Resource) String() string {
	if r.url == nil {
		return ""
	}
	return r.url.String()
}

// HasOrigin reports whether the resource has the host and port of an origin such as
// https://parley.example.com. It ignores the scheme, because a proxy may terminate TLS.
func (r Resource) HasOrigin(origin string) bool {
	_, host, _ := strings.Cut(origin, "://")
	return r.url != nil && strings.EqualFold(r.url.Host, host)
}

// Path returns the path of the resource, or "" if the path is "/" (RFC 9728 section 3.1).
func (r Resource) Path() string {
	if r.url == nil || r.url.Path == "/" {
		return ""
	}
	return r.url.Path
}

// Origin returns the scheme and host of the resource.
func (r Resource) Origin() string {
	if r.url == nil {
		return ""
	}
	return r.url.Scheme + "://" + r.url.Host
}

// Audiences returns the accepted spellings of the resource in tokens. For a URL without a path,
// they are the URL with and without a final slash, because libraries may add or remove the slash
// (RFC 3986 section 6.2.3).
func (r Resource) Audiences() []string {
	if r.url == nil {
		return nil
	}
	if r.Path() == "" {
		return []string{r.Origin(), r.Origin() + "/"}
	}
	return []string{r.String()}
}

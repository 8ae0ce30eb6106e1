package signin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	// resourcePath is inserted before the path of the service's address (RFC 9728 section 3).
	resourcePath        = "/.well-known/oauth-protected-resource"
	descriptionPatience = 10 * time.Second
)

// A Resource is a service's description of itself (RFC 9728 section 2). Clean its texts before
// showing them.
type Resource struct {
	// Name is the URI of the service, which RFC 8707 calls a resource.
	Name string `json:"resource"`
	// Issuers are the providers of tokens that the service accepts.
	Issuers []string `json:"authorization_servers"`
	// Scopes are the scopes that tokens for the service can have.
	Scopes []string `json:"scopes_supported"`
}

// A Service is a service with a description to read.
type Service struct {
	// Address is the service's address. Probe is an address of the service that requires a token.
	Address string
	Probe   string
	// Transport and UserAgent are as in Options.
	Transport http.RoundTripper
	UserAgent string
}

// ErrNoResource means that a service does not publish a description according to RFC 9728.
var ErrNoResource = errors.New("the service publishes no description (RFC 9728)")

// ReadResource reads a service's description. It tries the paths of RFC 9728 first, and then the
// address in a 401 response. Requests go only to the service's host. Without a description it
// returns ErrNoResource.
func ReadResource(ctx context.Context, s Service) (Resource, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, descriptionPatience, fmt.Errorf("it does not answer within %s", descriptionPatience))
	defer cancel()
	u, err := url.Parse(s.Address)
	if err != nil || u.Host == "" {
		return Resource{}, errors.New("its address is not valid for a request")
	}
	c := newHTTP(s.Transport, s.UserAgent)
	origin := (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
	for _, of := range slices.Compact([]string{origin + strings.TrimSuffix(u.EscapedPath(), "/"), origin}) {
		var told Resource
		err := getJSON(ctx, c, insertPath(of, resourcePath), &told)
		if _, missing := errors.AsType[*noDocumentError](err); missing {
			continue
		}
		if err == nil {
			err = told.checkName(normalAddress(of))
		}
		return told, err
	}
	return readNamedResource(ctx, c, s.Probe, origin)
}

// readNamedResource reads the description that a 401 response names (RFC 9728 section 5.1), on the
// same host only.
func readNamedResource(ctx context.Context, c *http.Client, probe, origin string) (Resource, error) {
	address, err := askForMetadata(ctx, c, probe)
	if err != nil {
		return Resource{}, err
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil || normalAddress((&url.URL{Scheme: u.Scheme, Host: u.Host}).String()) != normalAddress(origin) {
		return Resource{}, errors.New("the 401 response links to a service description on another host")
	}
	var told Resource
	if err := getJSON(ctx, c, address, &told); err != nil {
		return Resource{}, err
	}
	if !isBelow(normalAddress(probe), normalAddress(told.Name)) {
		return Resource{}, told.checkName(normalAddress(origin))
	}
	return told, nil
}

func askForMetadata(ctx context.Context, c *http.Client, probe string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, probe, nil)
	if err != nil {
		return "", errors.New("its address is not valid for a request")
	}
	got, err := sendRequest(c, r)
	if err != nil {
		return "", err
	}
	for _, header := range got.header.Values("WWW-Authenticate") {
		if address := readParameter(header, "resource_metadata"); address != "" && got.status == http.StatusUnauthorized {
			return address, nil
		}
	}
	return "", ErrNoResource
}

// readParameter returns a parameter of a challenge (RFC 9110 section 11.2), or "". It ignores text
// in quotes.
func readParameter(header, name string) string {
	for header != "" {
		key, rest, found := strings.Cut(header, "=")
		if !found {
			return ""
		}
		value, after := cutValue(strings.TrimLeft(rest, " \t"))
		words := strings.FieldsFunc(key, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
		if len(words) > 0 && strings.EqualFold(words[len(words)-1], name) {
			return value
		}
		header = after
	}
	return ""
}

func cutValue(text string) (value, rest string) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexAny(text, " \t,")
		if end < 0 {
			return text, ""
		}
		return text[:end], text[end:]
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return b.String(), text[i+1:]
		case text[i] == '\\' && i+1 < len(text):
			i++
		}
		b.WriteByte(text[i])
	}
	return "", ""
}

// checkName returns an error if the description is for another resource (RFC 9728 section 3.3).
func (r *Resource) checkName(want string) error {
	if normalAddress(r.Name) != want {
		return fmt.Errorf("the service description is for another address, %q", shortenText(r.Name))
	}
	return nil
}

func isBelow(address, top string) bool {
	return top != "" && (address == top || strings.HasPrefix(address, top+"/"))
}

// normalAddress returns an address in lower case without default port and final slash. It returns
// "" for an invalid address, and for an address that contains more than scheme, host and path.
func normalAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return ""
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if usual := map[string]string{"http": ":80", "https": ":443"}[scheme]; usual != "" {
		host = strings.TrimSuffix(host, usual)
	}
	return scheme + "://" + host + strings.TrimSuffix(u.EscapedPath(), "/")
}

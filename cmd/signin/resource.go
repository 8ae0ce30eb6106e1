package signin

import (
	"context"
	"errors"
	"fmt"
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

// ErrNoResource means that a service does not publish a description according to RFC 9728.
var ErrNoResource = errors.New("the service publishes no description (RFC 9728)")

// ReadResource reads the description of the service at an address, from the paths of RFC 9728.
// Requests go only to the service's host. Without a description it returns ErrNoResource.
func ReadResource(ctx context.Context, address, userAgent string) (Resource, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, descriptionPatience, fmt.Errorf("it does not answer within %s", descriptionPatience))
	defer cancel()
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return Resource{}, errors.New("its address is not valid for a request")
	}
	c := newHTTP(nil, userAgent)
	origin := (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
	for _, of := range slices.Compact([]string{origin + strings.TrimSuffix(u.EscapedPath(), "/"), origin}) {
		var told Resource
		err := getJSON(ctx, c, insertPath(of, resourcePath), &told)
		if _, missing := errors.AsType[*noDocumentError](err); missing {
			continue
		}
		if err == nil && normalAddress(told.Name) != normalAddress(of) { // RFC 9728 section 3.3
			err = fmt.Errorf("the service description is for another address, %q", shortenText(told.Name))
		}
		return told, err
	}
	return Resource{}, ErrNoResource
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

package localserver

import (
	"cmp"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
)

// describeResource returns a caller at an origin (scheme and host) which tokens the
// server takes (RFC 9728 section 2).
func (a *authentication) describeResource(origin string) wire.ProtectedResource {
	address := a.publicAddress(origin)
	told := wire.ProtectedResource{
		Resource:               cmp.Or(a.resource.String(), address),
		BearerMethodsSupported: []string{"header"},
		ResourceName:           "parley",
		ResourceDocumentation:  address + "/docs",
	}
	if a.told != nil {
		told.AuthorizationServers, told.ScopesSupported = []string{a.told.Issuer}, a.told.Scopes
	}
	return told
}

// metadataAddress returns the address of that description for a caller at an origin (RFC 9728
// section 3.1).
func (a *authentication) metadataAddress(origin string) string {
	if a.isOwnAddress(origin) {
		return a.resource.Origin() + wire.PathProtectedResource + a.resource.Path()
	}
	return origin + wire.PathProtectedResource
}

// publicAddress is the server's URL without a final slash, as a caller at an origin can
// use it.
func (a *authentication) publicAddress(origin string) string {
	if a.isOwnAddress(origin) {
		return strings.TrimSuffix(a.resource.String(), "/")
	}
	return origin
}

// isOwnAddress reports whether the resource is the server's address too. An audience that is a URL
// may be a mere name: it is an address only if the caller uses it as such.
func (a *authentication) isOwnAddress(origin string) bool {
	return a.named || a.resource.HasOrigin(origin)
}

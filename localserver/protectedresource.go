package localserver

import (
	"cmp"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
)

// describeResource returns the metadata about accepted tokens (RFC 9728 section 2) for the origin that the
// caller used.
func (a *authentication) describeResource(origin string) wire.ProtectedResource {
	address := origin
	if a.isOwnAddress(origin) {
		address = strings.TrimSuffix(a.resource.String(), "/")
	}
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

// metadataAddress returns the URL of the metadata (RFC 9728 section 3.1).
func (a *authentication) metadataAddress(origin string) string {
	if a.isOwnAddress(origin) {
		return a.resource.Origin() + wire.PathProtectedResource + a.resource.Path()
	}
	return origin + wire.PathProtectedResource
}

// isOwnAddress reports whether the resource is also the server's address. A resource from the audience may be
// just a name, so its origin must be the caller's.
func (a *authentication) isOwnAddress(origin string) bool {
	return a.named || a.resource.HasOrigin(origin)
}

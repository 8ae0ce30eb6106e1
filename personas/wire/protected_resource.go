package wire

// PathProtectedResource is where a service tells any OAuth client which tokens it takes
// (RFC 9728). Where the service's URL has a path, that path is behind it.
const PathProtectedResource = "/.well-known/oauth-protected-resource"

// ProtectedResource is what a service tells of itself as a resource that takes bearer
// tokens (RFC 9728 section 2). SignIn says what the standard has no word for.
type ProtectedResource struct {
	// Resource is the URL by which clients know the service, the one to name to the
	// provider as `resource` (RFC 8707).
	Resource string `json:"resource"`
	// AuthorizationServers are the issuers of its tokens; absent where tokens come from
	// elsewhere, signed with a shared secret.
	AuthorizationServers []string `json:"authorization_servers,omitempty"`
	// ScopesSupported are what a client asks for.
	ScopesSupported []string `json:"scopes_supported,omitempty"`
	// BearerMethodsSupported describes where in a request a token may stand: header.
	BearerMethodsSupported []string `json:"bearer_methods_supported"`
	ResourceName           string   `json:"resource_name,omitempty"`
	// ResourceDocumentation is the address of a page for developers.
	ResourceDocumentation string `json:"resource_documentation,omitempty"`
}

package wire

// PathProtectedResource is the path at which a service announces to OAuth clients which tokens it
// accepts (RFC 9728). If the service's URL has a path, that path is appended to
// PathProtectedResource.
const PathProtectedResource = "/.well-known/oauth-protected-resource"

// ProtectedResource is the OAuth metadata of a service that accepts bearer tokens (RFC 9728,
// section 2). SignIn contains what the standard does not cover.
type ProtectedResource struct {
	// Resource is the URL that identifies the service, which clients pass to the provider as
	// `resource` (RFC 8707).
	Resource string `json:"resource"`
	// AuthorizationServers are the issuers of the tokens. It is omitted if tokens come from
	// elsewhere and are signed with a shared secret.
	AuthorizationServers []string `json:"authorization_servers,omitempty"`
	// ScopesSupported are the scopes that a client requests.
	ScopesSupported []string `json:"scopes_supported,omitempty"`
	// BearerMethodsSupported lists the parts of a request that may contain the token: "header".
	BearerMethodsSupported []string `json:"bearer_methods_supported"`
	ResourceName           string   `json:"resource_name,omitempty"`
	// ResourceDocumentation is the URL of a page for developers.
	ResourceDocumentation string `json:"resource_documentation,omitempty"`
}

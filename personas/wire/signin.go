package wire

// PathSignIn is the path at which a service describes how to sign in to it. It is our addition to
// the interface; a service without it answers 404, and then a token comes from elsewhere.
const PathSignIn = "/.well-known/parley"

// SignIn describes the source of the service's tokens.
type SignIn struct {
	// Issuer is the OpenID provider; its discovery document contains the details.
	Issuer string `json:"issuer"`
	// ClientID is the public client for signing in with commands; omitted if the service does not
	// name one.
	ClientID string `json:"client_id,omitempty"`
	// Audience is what tokens must be for.
	Audience string `json:"audience"`
	// Resource is the resource that a client requests tokens for (RFC 8707); omitted if it is empty
	// or equals Audience.
	Resource string `json:"resource,omitempty"`
	// Scopes are what a client asks for.
	Scopes []string `json:"scopes"`
	// Development means that the provider accepts any claimed address.
	Development bool `json:"development"`
}

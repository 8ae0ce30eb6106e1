package wire

// PathSignIn is the path at which a service describes how to sign in. It is an addition to the
// interface. A service without this path returns 404, and its tokens must be obtained in another
// way.
const PathSignIn = "/.well-known/parley"

// SignIn describes where the service's tokens come from.
type SignIn struct {
	// Issuer is the URL of the OpenID provider. Its discovery document contains the details.
	Issuer string `json:"issuer"`
	// ClientID is the public OAuth client for signing in with the command line. It is omitted if
	// the service does not configure one.
	ClientID string `json:"client_id,omitempty"`
	// Audience is the audience that tokens must have.
	Audience string `json:"audience"`
	// Resource is the resource for which a client requests tokens (RFC 8707). It is omitted if it
	// is empty or equals Audience.
	Resource string `json:"resource,omitempty"`
	// Scopes are the scopes that a client requests.
	Scopes []string `json:"scopes"`
	// Development means that the provider accepts any e-mail address without proof.
	Development bool `json:"development"`
}

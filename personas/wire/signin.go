package wire

// PathSignIn is the path at which a service describes how to sign in to it. It is our addition to
// the interface; a service without it answers 404, and then a token comes from elsewhere.
const PathSignIn = "/.well-known/parley"

// SignIn describes where the service's tokens come from.
type SignIn struct {
	// Issuer is the OpenID provider; its discovery document contains the details.
	Issuer string `json:"issuer"`
	// ClientID is the public client as which commands sign in; absent where the
	// service names none.
	ClientID string `json:"client_id,omitempty"`
	// Audience is what tokens must be for.
	Audience string `json:"audience"`
	// Resource is what a client names to the provider as the resource that tokens are for
	// (RFC 8707); absent where that is what Audience says or nothing.
	Resource string `json:"resource,omitempty"`
	// Scopes are what a client asks for.
	Scopes []string `json:"scopes"`
	// Development means that the provider accepts any claimed address.
	Development bool `json:"development"`
}

package signin

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
)

// AccessKind is the part of an access token that can be read without its provider.
type AccessKind struct {
	// Signed means that it is a JWT that a service can verify; every other token is opaque.
	Signed bool
	// Issuer and Audiences are a JWT's unverified claims: use them for display, never for
	// decisions.
	Issuer    string
	Audiences []string
}

// ReadKind reads what kind of token an access token is.
func ReadKind(token string) AccessKind {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(token) > maxAnswer {
		return AccessKind{}
	}
	var head struct {
		Algorithm string `json:"alg"`
	}
	var body struct {
		Issuer   string          `json:"iss"`
		Audience json.RawMessage `json:"aud"`
	}
	if !decodePart(parts[0], &head) || head.Algorithm == "" || !decodePart(parts[1], &body) {
		return AccessKind{}
	}
	return AccessKind{Signed: true, Issuer: shortenText(body.Issuer), Audiences: readAudiences(body.Audience)}
}

func decodePart(part string, into any) bool {
	text, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(text, into) == nil
}

// readAudiences reads `aud`, which is one text or a list of them.
func readAudiences(member json.RawMessage) []string {
	var one string
	if json.Unmarshal(member, &one) == nil {
		return []string{shortenText(one)}
	}
	var all []string
	if json.Unmarshal(member, &all) != nil {
		return nil
	}
	for i, audience := range all {
		all[i] = shortenText(audience)
	}
	return slices.Clip(all[:min(len(all), 10)])
}

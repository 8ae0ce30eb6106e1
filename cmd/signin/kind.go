package signin

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
)

// An AccessKind is what can be read from an access token without its provider.
type AccessKind struct {
	// Signed is set for a JWT, which a service can verify.
	Signed bool
	// Issuer and Audiences are unverified claims of a JWT, for display only.
	Issuer    string
	Audiences []string
}

// ReadKind returns the kind of an access token.
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

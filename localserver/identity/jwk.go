package identity

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-jose/go-jose/v4"
)

const minRSABits = 2048 // RFC 7518 section 3.3

const algorithmEd25519 = jose.SignatureAlgorithm("Ed25519") // RFC 9864

var (
	rsaAlgorithms = []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512}
	edAlgorithms  = []jose.SignatureAlgorithm{jose.EdDSA, algorithmEd25519}
	curves        = map[elliptic.Curve]jose.SignatureAlgorithm{
		elliptic.P256(): jose.ES256, elliptic.P384(): jose.ES384, elliptic.P521(): jose.ES512,
	}
)

// externalAlgorithms must not contain "none" or an HMAC. A public key could be used as the secret
// of an HMAC.
var externalAlgorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA, algorithmEd25519,
}

// canSign compares the algorithm with the key, because the token chooses the algorithm.
func canSign(key jose.JSONWebKey, id, algorithm string) bool {
	if id != "" && key.KeyID != id {
		return false
	}
	if !slices.Contains(algorithmsOf(key.Key), jose.SignatureAlgorithm(algorithm)) {
		return false
	}
	if key.Algorithm == "" || key.Algorithm == algorithm {
		return true
	}
	// EdDSA with an Ed25519 key is the same as Ed25519 (RFC 9864 section 2.2).
	return isEd25519(key.Algorithm) && isEd25519(algorithm)
}

func isEd25519(algorithm string) bool {
	return slices.Contains(edAlgorithms, jose.SignatureAlgorithm(algorithm))
}

func algorithmsOf(public any) []jose.SignatureAlgorithm {
	switch public := public.(type) {
	case *rsa.PublicKey:
		if public.N.BitLen() >= minRSABits {
			return rsaAlgorithms
		}
	case *ecdsa.PublicKey:
		if algorithm, ok := curves[public.Curve]; ok {
			return []jose.SignatureAlgorithm{algorithm}
		}
	case ed25519.PublicKey:
		return edAlgorithms
	}
	return nil
}

// go-jose does not support the algorithm name "Ed25519".
type ed25519Verifier ed25519.PublicKey

// VerifyPayload implements jose.OpaqueVerifier.
func (v ed25519Verifier) VerifyPayload(payload, signature []byte, _ jose.SignatureAlgorithm) error {
	if !ed25519.Verify(ed25519.PublicKey(v), payload, signature) {
		return jose.ErrCryptoFailure
	}
	return nil
}

func usableKeys(set []json.RawMessage) (list []jose.JSONWebKey, faults []error) {
	const maxFaults = 5
	for _, raw := range set {
		if len(list) == maxKeys {
			break
		}
		key, err := parseKey(raw)
		switch {
		case err == nil:
			list = append(list, key)
		case len(faults) < maxFaults:
			faults = append(faults, fmt.Errorf("key %.40q: %w", key.KeyID, err))
		}
	}
	return list, faults
}

func parseKey(raw json.RawMessage) (key jose.JSONWebKey, err error) {
	var uses struct {
		Operations *[]string `json:"key_ops"`
	}
	switch {
	case key.UnmarshalJSON(raw) != nil || json.Unmarshal(raw, &uses) != nil:
		return key, errors.New("it is malformed or of an unknown type")
	case !key.IsPublic() || !key.Valid():
		return key, errors.New("it is not a public key")
	case key.Use != "" && key.Use != "sig":
		return key, fmt.Errorf("its use is %.20q instead of sig", key.Use)
	case uses.Operations != nil && !slices.Contains(*uses.Operations, "verify"):
		return key, errors.New("its key_ops do not contain verify")
	case len(algorithmsOf(key.Key)) == 0:
		return key, fmt.Errorf("it is an RSA key with fewer than %d bits", minRSABits)
	case !hasAcceptedAlgorithm(key):
		return key, fmt.Errorf("its alg is %.20q", key.Algorithm)
	}
	return key, nil
}

func hasAcceptedAlgorithm(key jose.JSONWebKey) bool {
	return slices.ContainsFunc(externalAlgorithms, func(algorithm jose.SignatureAlgorithm) bool {
		return canSign(key, "", string(algorithm))
	})
}

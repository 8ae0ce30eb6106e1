package auth

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/wire"
)

// TestDevelopmentSignInOfAnotherMachine: no other machine sends a user to a sign-in on his own.
func TestDevelopmentSignInOfAnotherMachine(t *testing.T) {
	own, foreign := wire.SignIn{Issuer: "http://127.0.0.1:8787", Development: true}, wire.SignIn{Issuer: "https://id.example.com"}
	for _, c := range []struct {
		address, issuer string
		told            wire.SignIn
		refused         bool
	}{
		{"https://npc.example.com", "", own, true},
		{"http://10.0.0.1:8787", "", own, true},
		{"https://npc.example.com", "https://id.example.com", own, false},
		{"https://npc.example.com", "", foreign, false},
		{"http://127.0.0.1:8787", "", own, false},
		{"http://localhost:8080", "", own, false},
	} {
		err := checkOwnMachine(c.address, c.issuer, c.told)
		if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), "development sign-in") {
			t.Errorf("%s: %v", c.address, err)
		}
	}
}

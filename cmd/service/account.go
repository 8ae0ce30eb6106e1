package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/cmd/signin"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// An Account is a stored sign-in with its secrets.
type Account struct {
	Issuer   string   `json:"issuer,omitempty"`
	ClientID string   `json:"client_id,omitempty"`
	Audience string   `json:"audience,omitempty"`
	Resource string   `json:"resource,omitempty"`
	Scopes   []string `json:"scopes,omitempty"`
	Tokens   signin.Tokens
	// Over explains why the provider refuses to renew the sign-in, or is "".
	Over string `json:"over,omitempty"`
}

// A SignInNote is the public part of a sign-in. The keyring is not needed to read a SignInNote.
type SignInNote struct {
	Issuer    string        `json:"issuer,omitempty"`
	ClientID  string        `json:"client_id,omitempty"`
	Scope     string        `json:"scope,omitempty"`
	Person    signin.Person `json:"person"`
	Expires   time.Time     `json:"expires_at,omitzero"`
	Renewable bool          `json:"renewable"`
	Over      string        `json:"over,omitempty"`
}

// Note returns the public part of a sign-in.
func (c *Account) Note() SignInNote {
	return SignInNote{
		Issuer: c.Issuer, ClientID: c.ClientID, Scope: c.Tokens.Scope, Person: c.Tokens.Person,
		Expires: c.Tokens.Expires, Renewable: c.Tokens.Refresh != "", Over: c.Over,
	}
}

// OpenSecrets opens the store of sign-ins. An unknown state directory is an error.
func (a *Access) OpenSecrets() (*settings.Secrets, error) {
	dir, err := a.Dirs().State()
	if err != nil {
		return nil, err
	}
	return settings.OpenSecrets(dir, a.Keyring()), nil
}

// Keyring returns the keyring of the system, or of a test.
func (a *Access) Keyring() settings.Keyring {
	if a.Ring != nil {
		return a.Ring
	}
	return settings.SystemKeyring(a.Lookup)
}

// KeepAccount stores a sign-in to a server. The caller must hold the lock of HoldServer.
func KeepAccount(s *settings.Secrets, server string, c Account, where settings.Storage) error {
	secret, err := json.Marshal(c)
	if err != nil {
		return err
	}
	note, err := json.Marshal(c.Note())
	if err != nil {
		return err
	}
	return s.Keep(server, string(secret), settings.SecretRecord{Stored: where, Note: note})
}

// ReadAccount returns the sign-in to a server, or settings.ErrNoSecret.
func ReadAccount(s *settings.Secrets, server string) (Account, error) {
	secret, err := s.Read(server)
	if err != nil {
		return Account{}, err
	}
	var c Account
	if json.Unmarshal([]byte(secret), &c) != nil || c.Tokens.Access == "" {
		return Account{}, errors.New("the stored sign-in is damaged")
	}
	return c, nil
}

// ServerName returns an address in lower case, without user, query, default port and final slash.
func ServerName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	host := strings.ToLower(u.Host)
	if port := map[string]string{"http": ":80", "https": ":443"}[strings.ToLower(u.Scheme)]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	plain := url.URL{Scheme: strings.ToLower(u.Scheme), Host: host, Path: strings.TrimRight(u.Path, "/")}
	return plain.String()
}

// ServerLabel returns ServerName for display.
func ServerLabel(address string) string {
	return terminal.Clean(ServerName(plaintext.RedactUser(address)))
}

// ServerAddress returns the valid server address from the settings, and the settings.
func (a *Access) ServerAddress() (string, *settings.Settings, error) {
	s, err := a.Settings()
	if err != nil {
		return "", nil, err
	}
	address := strings.TrimRight(s.Get(settings.Server).Value, "/")
	if _, err := a.NewClient(address, NoToken, 0); err != nil {
		return "", nil, cli.UsageError("server address from %s: %w", s.Get(settings.Server).Origin, err)
	}
	return address, s, nil
}

// NoToken is the token source for requests without a token.
func NoToken(context.Context) (string, error) { return "", nil }

// CheckTransport returns an error with ExitUsage if http would expose a token to a network.
func (a *Access) CheckTransport(address string) error {
	u, err := url.Parse(address)
	if err != nil || strings.EqualFold(u.Scheme, "https") || wire.IsLoopbackURL(address) {
		return nil //nolint:nilerr // the client rejects an invalid address
	}
	if a.InsecureHTTP || a.Env("PARLEY_INSECURE_HTTP") == "1" {
		return nil
	}
	err = fmt.Errorf("the connection to %s is not encrypted, so others could read the token or key", ServerLabel(address))
	return &cli.Failure{Code: cli.ExitUsage, Err: err, Hint: "use an https address; " +
		"if you trust every network in between, add --insecure-http or set PARLEY_INSECURE_HTTP=1"}
}

// LoginHint returns a hint with the command for signing in.
func (a *Access) LoginHint() string {
	if a.Server != "" {
		return "sign in: parley auth login --server " + plaintext.ShellWord(ServerName(a.Server))
	}
	return "sign in: parley auth login"
}

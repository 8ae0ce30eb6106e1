package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/cmd/signin"
	"github.com/parley-npc/parley/personas/loopback"
	"github.com/parley-npc/parley/personas/wire"
)

func newAuthCmd(a *app) *cobra.Command {
	c := newGroupCmd("auth", "Sign in and out, and see who you are",
		newLoginCmd(a, runLogin), newStatusCmd(a, runStatus), newAuthTokenCmd(a, runAuthToken), newLogoutCmd(a, runLogout))
	c.Long = `Sign in to a service, see as whom, and sign out.

A sign-in is for one server: its token goes there and nowhere else. It is kept in the
system's keyring and renewed before it ends. PARLEY_TOKEN wins over every sign-in. On
the machine where ` + "`parley localserver`" + ` runs nobody needs to sign in: commands are this
machine's user until somebody signs in otherwise.`
	c.Example = `  parley auth login
  parley auth login --server https://npc.example.com --device
  parley auth status
  curl -H "Authorization: Bearer $(parley auth token)" http://127.0.0.1:8787/api/v1/auth/me`
	return c
}

// account is all that is kept of a sign-in: how it was made, and its tokens.
type account struct {
	Issuer   string   `json:"issuer,omitempty"`
	ClientID string   `json:"client_id,omitempty"`
	Audience string   `json:"audience,omitempty"`
	Scopes   []string `json:"scopes,omitempty"`
	Tokens   signin.Tokens
}

// signInNote is what may be read of a sign-in without the keyring; no secret is in it.
type signInNote struct {
	Issuer    string        `json:"issuer,omitempty"`
	ClientID  string        `json:"client_id,omitempty"`
	Scope     string        `json:"scope,omitempty"`
	Person    signin.Person `json:"person"`
	Expires   time.Time     `json:"expires_at,omitzero"`
	Renewable bool          `json:"renewable"`
}

func (c *account) note() signInNote {
	return signInNote{
		Issuer: c.Issuer, ClientID: c.ClientID, Scope: c.Tokens.Scope, Person: c.Tokens.Person,
		Expires: c.Tokens.Expires, Renewable: c.Tokens.Refresh != "",
	}
}

// secrets are where sign-ins are kept.
func (a *app) secrets() (*config.Secrets, error) {
	dir, err := a.dirs().State()
	if err != nil {
		return nil, err
	}
	return config.OpenSecrets(dir, a.keyring()), nil
}

func (a *app) keyring() config.Keyring {
	if a.ring != nil {
		return a.ring
	}
	return config.SystemKeyring(a.lookup)
}

// keepAccount keeps a sign-in. The caller holds the server.
func keepAccount(s *config.Secrets, server string, c account, where config.Storage) error {
	secret, err := json.Marshal(c)
	if err != nil {
		return err
	}
	open, err := json.Marshal(c.note())
	if err != nil {
		return err
	}
	return s.Keep(server, string(secret), config.Kept{Stored: where, Note: open})
}

// readAccount reads a sign-in; config.ErrNoSecret when there is none.
func readAccount(s *config.Secrets, server string) (account, error) {
	secret, err := s.Read(server)
	if err != nil {
		return account{}, err
	}
	var c account
	if json.Unmarshal([]byte(secret), &c) != nil || c.Tokens.Access == "" {
		return account{}, errors.New("what is kept of the sign-in is damaged")
	}
	return c, nil
}

// serverName is the address of a server as sign-ins are kept under it: without
// user, password and what does not tell servers apart.
func serverName(address string) string {
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

// address is the server that the settings name.
func (a *app) address() (string, *config.Settings, error) {
	s, err := a.settings()
	if err != nil {
		return "", nil, err
	}
	address := strings.TrimRight(s.Get(config.Server).Value, "/")
	if _, err := a.newClient(address, nobody, 0); err != nil {
		return "", nil, usage("server address from %s: %w", s.Get(config.Server).Origin, err)
	}
	return address, s, nil
}

// nobody is the token of calls that need none.
func nobody(context.Context) (string, error) { return "", nil }

// mayTravel refuses to send a token or a key where others could read it on the way.
func (a *app) mayTravel(address string) error {
	u, err := url.Parse(address)
	if err != nil || strings.EqualFold(u.Scheme, "https") || loopback.IsURL(address) || a.insecureHTTP || a.env("PARLEY_INSECURE_HTTP") == "1" {
		return nil //nolint:nilerr // an address that is none is refused by the client
	}
	return &failure{
		code: exitUsage, err: fmt.Errorf("a token or key would travel to %s unprotected, where others can read it", serverName(address)),
		hint: "name the server by https; if you trust every network between, add --insecure-http or set PARLEY_INSECURE_HTTP=1",
	}
}

// loginHint is the next step of somebody who is not signed in.
func (a *app) loginHint() string {
	if a.server != "" {
		return "sign in: parley auth login --server " + serverName(a.server)
	}
	return "sign in: parley auth login"
}

// explainSignIn gives the failures of a sign-in their exit codes and next steps.
func explainSignIn(err error) error {
	refused, isRefusal := errors.AsType[*signin.Refused](err)
	_, explained := errors.AsType[*failure](err)
	_, answered := errors.AsType[*wire.Error](err)
	switch {
	case err == nil || explained || answered || isUnreachable(err):
		return err
	case !isRefusal:
		return trouble(err, "")
	case refused.Code == signin.CodeDenied:
		return no("not signed in: the sign-in was refused")
	case refused.Code == signin.CodeExpired:
		return &failure{code: exitNo, err: fmt.Errorf("not signed in: %s", refused.Description), hint: "begin again: parley auth login"}
	}
	return &failure{code: exitNo, err: err, hint: "the provider calls it " + refused.Code + "; --client-id, --scopes and --audience say what is asked of it"}
}

func isKeyringFailure(err error) bool {
	_, ok := errors.AsType[*config.KeyringFailed](err)
	return ok
}

// keyringHint is the way without a keyring.
const keyringHint = "keep the token in a file that only you can read instead: parley auth login --insecure-storage; or set PARLEY_TOKEN"

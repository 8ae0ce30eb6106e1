package connect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/signin"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type loginOptions struct {
	*service.Access
	issuer    string
	clientID  string
	audience  string
	scopes    []string
	device    bool
	browser   bool
	withToken bool
	insecure  bool
}

func newLoginCmd(access *service.Access) *cobra.Command {
	o := &loginOptions{Access: access}
	c := &cobra.Command{
		Use:   "login",
		Short: "Sign in to a service",
		Long: `Sign in to a service, in a browser on this machine where there is one (--browser), else
with a code that you enter on any device (--device).

The service tells who its identity provider is; --issuer and --client-id, or the settings
issuer and client_id, win. A provider of your own must know the client as a public one with
the device grant, or with PKCE and the address http://127.0.0.1/callback on any port.

The token is kept in the system's keyring. Without one, --insecure-storage keeps it in a
file that only you can read. --with-token takes a token that you have from stdin.`,
		Example: `  parley auth login
  parley auth login --server https://npc.example.com --device
  parley auth login --issuer https://accounts.example.com --client-id parley
  parley auth login --with-token < token.txt`,
		Args: cli.ExactArgs(),
		RunE: func(c *cobra.Command, _ []string) error { return runLogin(c.Context(), o) },
	}
	f := c.Flags()
	f.BoolVar(&o.device, "device", false, "sign in with a code that you enter on any device")
	f.BoolVar(&o.browser, "browser", false, "sign in with a browser on this machine")
	f.BoolVar(&o.withToken, "with-token", false, "read a bearer token from stdin")
	f.BoolVar(&o.insecure, "insecure-storage", false, "keep the token in a file that only you can read, not in the keyring")
	f.StringVar(&o.issuer, "issuer", "", "the OpenID provider, by its `URL` exactly as it writes it")
	f.StringVar(&o.clientID, "client-id", "", "the public client `ID` that the provider knows")
	f.StringVar(&o.audience, "audience", "", "the `NAME` that the token is to be for")
	f.StringSliceVar(&o.scopes, "scopes", nil, "what is asked for, as `NAMES` separated by commas")
	return c
}

func runLogin(ctx context.Context, o *loginOptions) error {
	address, settings, err := o.ServerAddress()
	if err != nil {
		return err
	}
	if err := o.checkOptions(address); err != nil {
		return err
	}
	if err := service.GuardSecret(settings, "a token"); err != nil {
		return err
	}
	s, err := o.OpenSecrets()
	if err != nil {
		return err
	}
	if err := o.checkStorage(ctx, s, service.ServerName(address)); err != nil {
		return err
	}
	c, err := o.getAccount(ctx, address, settings)
	if err != nil {
		return explainSignIn(err)
	}
	if err := o.verifyToken(ctx, address, &c); err != nil {
		return err
	}
	return o.replaceAccount(ctx, s, service.ServerName(address), c)
}

// replaceAccount keeps the sign-in, and ends the one that was kept before.
func (o *loginOptions) replaceAccount(ctx context.Context, s *config.Secrets, server string, c service.Account) error {
	before, readErr := service.ReadAccount(s, server)
	if err := o.keepAccount(ctx, s, server, c); err != nil {
		return err
	}
	if readErr == nil && endsAlone(before, c, server) {
		revokeTokens(ctx, o.Access, before, "the sign-in before this one")
	}
	return nil
}

// endsAlone tells whether ending a sign-in leaves another one in force. Many providers
// keep one grant for a user and a client, and end both; the server's own provider does
// not.
func endsAlone(c, other service.Account, server string) bool {
	same := c.Issuer == other.Issuer && c.ClientID == other.ClientID && c.Tokens.Person.Subject == other.Tokens.Person.Subject
	return c.Issuer != "" && (!same || service.ServerName(c.Issuer) == server)
}

// checkStorage checks that the token can be kept, before anybody is asked anything.
func (o *loginOptions) checkStorage(ctx context.Context, s *config.Secrets, server string) error {
	release, err := service.HoldServer(ctx, s, server)
	if err != nil {
		return cli.WrapTrouble(err, "PARLEY_STATE_DIR names another folder")
	}
	release()
	if o.insecure {
		return nil
	}
	return s.Probe()
}

// checkOptions refuses what cannot succeed, before anybody is asked anything.
func (o *loginOptions) checkOptions(address string) error {
	if err := o.CheckTransport(address); err != nil {
		return err
	}
	ways := 0
	for _, chosen := range []bool{o.device, o.browser, o.withToken} {
		if chosen {
			ways++
		}
	}
	if ways > 1 {
		return cli.UsageError("--device, --browser and --with-token are three ways: give one of them")
	}
	if ways == 0 && (!o.TTY.In || !o.TTY.Err) {
		return cli.UsageError("%w: name --device, --browser or --with-token", cli.ErrNoTerminal)
	}
	if o.withToken && o.TTY.In {
		return cli.UsageError("--with-token reads a token from a pipe or a file, not from the terminal, which would show it: parley auth login --with-token < token.txt")
	}
	return nil
}

// getAccount signs in, or reads a token from stdin.
func (o *loginOptions) getAccount(ctx context.Context, address string, settings *config.Settings) (service.Account, error) {
	if o.withToken {
		tokens, err := o.readToken()
		return service.Account{Tokens: tokens}, err
	}
	c, err := o.findProvider(ctx, address, settings)
	if err != nil {
		return c, err
	}
	if err := signin.CheckIssuer(c.Issuer); err != nil {
		return c, cli.UsageError("%w", err)
	}
	p, err := o.OpenProvider(ctx, c)
	if err != nil {
		return c, err
	}
	o.Say("signing in to %s at %s", terminal.Clean(service.ServerName(address)), terminal.Clean(c.Issuer))
	c.Tokens, err = o.signIn(ctx, p)
	return c, err
}

// maxTokenInput is the longest text that --with-token reads, in bytes.
const maxTokenInput = 64 << 10

func (o *loginOptions) readToken() (signin.Tokens, error) {
	text, err := cli.AwaitResult(o.Interrupted, func() ([]byte, error) { return io.ReadAll(io.LimitReader(o.In, maxTokenInput+1)) })
	if err != nil {
		return signin.Tokens{}, cli.WrapTrouble(fmt.Errorf("read the token from stdin: %w", err), "")
	}
	token := strings.TrimSpace(string(text))
	switch {
	case token == "":
		return signin.Tokens{}, cli.UsageError("there is no token on stdin")
	case len(text) > maxTokenInput || !signin.Plain(token):
		return signin.Tokens{}, cli.UsageError("what stands on stdin is no token: it is too long, or has spaces or line breaks; was it copied whole?")
	}
	who, expires := signin.Claims(token)
	return signin.Tokens{Access: token, Issued: o.Now().UTC(), Expires: expires, Person: who}, nil
}

// findProvider finds out where to sign in: as flags and settings say, else as the service
// says.
func (o *loginOptions) findProvider(ctx context.Context, address string, settings *config.Settings) (service.Account, error) {
	c := service.Account{Issuer: o.issuer, ClientID: o.clientID, Audience: o.audience, Scopes: o.scopes}
	if c.Issuer == "" {
		c.Issuer = settings.Get(config.Issuer).Value
	}
	if c.ClientID == "" {
		c.ClientID = settings.Get(config.ClientID).Value
	}
	if c.Issuer != "" && c.ClientID != "" {
		return c, nil
	}
	told, err := o.fetchSignIn(ctx, address)
	if err != nil {
		return c, err
	}
	if c.Issuer == "" || c.Issuer == told.Issuer {
		fillAccount(&c, told)
	}
	if c.ClientID == "" {
		return c, cli.UsageError("as which client? name it with --client-id: neither the service nor the settings do")
	}
	return c, nil
}

// fillAccount fills in what the service says, where nothing else was named.
func fillAccount(c *service.Account, told wire.SignIn) {
	c.Issuer = told.Issuer
	if c.ClientID == "" {
		c.ClientID = told.ClientID
	}
	if c.Audience == "" {
		c.Audience = told.Audience
	}
	if len(c.Scopes) == 0 {
		c.Scopes = told.Scopes
	}
}

// fetchSignIn asks the service how to sign in to it.
func (o *loginOptions) fetchSignIn(ctx context.Context, address string) (wire.SignIn, error) {
	api, err := o.NewClient(address, service.NoToken, 0)
	if err != nil {
		return wire.SignIn{}, err
	}
	told, err := api.SignIn(ctx)
	if refusal, ok := errors.AsType[*wire.Error](err); ok && refusal.Status == http.StatusNotFound {
		return told, &cli.Failure{
			Code: cli.ExitUsage, Err: fmt.Errorf("%s does not tell how to sign in to it", service.ServerName(address)),
			Hint: "name its identity provider with --issuer and --client-id, or give a token: parley auth login --with-token < FILE",
		}
	}
	if err != nil {
		return told, fmt.Errorf("ask %s how to sign in: %w", service.ServerName(address), err)
	}
	return told, nil
}

// signIn signs in with a browser or a device's code: as chosen, else as is possible here.
func (o *loginOptions) signIn(ctx context.Context, p *signin.Provider) (signin.Tokens, error) {
	browser, found := findBrowser(o.Streams)
	switch {
	case o.device && !p.HasDevice():
		return signin.Tokens{}, cli.UsageError("%s signs in no devices: use --browser", p.Issuer())
	case o.browser && !p.HasBrowser():
		return signin.Tokens{}, cli.UsageError("%s signs in through no browser: use --device", p.Issuer())
	case o.browser, !o.device && p.HasBrowser() && (found || !p.HasDevice()):
		return p.Browser(ctx, func(address string) {
			if !found || launchBrowser(o.Streams, browser, address) != nil {
				o.Say("open this address in a browser on this machine:\n\n  %s\n", terminal.Clean(address))
				return
			}
			o.Say("your browser shows the sign-in; if it does not, open\n\n  %s\n", terminal.Clean(address))
		})
	}
	return p.Device(ctx, func(code signin.Code) { o.showCode(code, browser, found) })
}

// showCode shows a device's code, and opens the page for it where there is a browser.
func (o *loginOptions) showCode(code signin.Code, browser []string, found bool) {
	o.Say("\n  1. open      %s\n  2. enter     %s\n", terminal.Clean(code.Address), o.Style.Bold(terminal.Clean(code.User)))
	if found && o.TTY.Err && code.Complete != "" {
		// It is a convenience: the address stands above.
		_ = launchBrowser(o.Streams, browser, code.Complete)
	}
	o.Say("%s", o.Style.Faint(fmt.Sprintf("waiting for you until %s; Ctrl-C gives up", code.Expires.Local().Format("15:04"))))
}

// verifyToken asks the service whether it accepts the token, and whose it is.
func (o *loginOptions) verifyToken(ctx context.Context, address string, c *service.Account) error {
	if c.Tokens.Expired(o.Now()) {
		return &cli.Failure{Code: cli.ExitSignIn, Err: errors.New("the token has expired"), Hint: o.LoginHint()}
	}
	api, err := o.NewClient(address, func(context.Context) (string, error) { return c.Tokens.Access, nil }, 0)
	if err != nil {
		return err
	}
	me, err := api.Me(ctx)
	refusal, refused := errors.AsType[*wire.Error](err)
	switch {
	case ctx.Err() != nil:
		return err
	case refused && refusal.Status == http.StatusUnauthorized:
		return &cli.Failure{
			Code: cli.ExitSignIn, Err: fmt.Errorf("%s does not take the token: %w", service.ServerName(address), refusal),
			Hint: "nothing was kept; is it a token for this service (--audience, --issuer)?",
		}
	case err != nil:
		o.Say("%s could not be asked whether it takes the token: %s", service.ServerName(address), terminal.Clean(err.Error()))
		return nil
	}
	if c.Tokens.Person.Label() == "" || c.Tokens.Person.Email == "" {
		c.Tokens.Person = signin.Person{Subject: me.ID, Email: me.Email, Name: me.DisplayName}
	}
	return nil
}

// keepAccount keeps the sign-in, and says where and until when.
func (o *loginOptions) keepAccount(ctx context.Context, s *config.Secrets, server string, c service.Account) error {
	release, err := service.HoldServer(ctx, s, server)
	if err != nil {
		return cli.WrapTrouble(err, "")
	}
	defer release()
	where := config.StoredKeyring
	if o.insecure {
		where = config.StoredFile
	}
	if err := service.KeepAccount(s, server, c, where); err != nil {
		return fmt.Errorf("keep the sign-in: %w", err)
	}
	o.Say("signed in to %s as %s; the token is kept %s", server, terminal.Clean(c.Tokens.Person.Label()), storedText(string(where)))
	if !c.Tokens.Expires.IsZero() && c.Tokens.Refresh == "" {
		o.Say("it ends %s and cannot be renewed", c.Tokens.Expires.Local().Format(time.RFC1123))
	}
	if strings.TrimSpace(o.Env("PARLEY_TOKEN")) != "" {
		o.Say("PARLEY_TOKEN is set and wins over this sign-in: unset it")
	}
	return nil
}

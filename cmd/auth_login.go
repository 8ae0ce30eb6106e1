package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/cmd/signin"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type loginOptions struct {
	*service.Access
	issuer    string
	clientID  string
	audience  string
	resource  string
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
		Long: `Sign in to a service with a browser on this machine (--browser), or with a code that
you enter on any device (--device). The default is the browser, if there is one.

The service names its identity provider and the audience of tokens. --issuer,
--client-id, --audience and --resource, or the settings of these names, override it.
Your own provider needs a public client with the device grant, or with PKCE and the
redirect address http://127.0.0.1/callback on any port. Its access tokens must be
JWTs that the service can verify; many providers issue them only for a registered
API. Name that API with --resource for providers that follow RFC 8707, with
--audience for others.

The token is kept in the system's keyring. Without one, --insecure-storage keeps it
in a file that only you can read. --with-token reads a token from stdin.`,
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
	f.BoolVar(&o.insecure, "insecure-storage", false,
		"keep the token in a file that only you can read, not in the keyring")
	f.StringVar(&o.issuer, "issuer", "",
		"the OpenID provider: its issuer `URL`, written exactly as the provider writes it")
	f.StringVar(&o.clientID, "client-id", "", "the public client `ID` registered at the provider")
	f.StringVar(&o.audience, "audience", "", "audience `NAME` of the token, or none")
	f.StringVar(&o.resource, "resource", "", "the audience as a `URI` (RFC 8707), or none")
	f.StringSliceVar(&o.scopes, "scopes", nil, "scopes to ask for, `NAMES` separated by commas")
	return c
}

func runLogin(ctx context.Context, o *loginOptions) error {
	address, current, err := o.ServerAddress()
	if err != nil {
		return err
	}
	if err := o.checkOptions(address); err != nil {
		return err
	}
	if err := service.GuardSecret(current, "a token"); err != nil {
		return err
	}
	s, err := o.OpenSecrets()
	if err != nil {
		return err
	}
	server := service.ServerName(address)
	if err := o.checkStorage(ctx, s, server); err != nil {
		return err
	}
	return o.signInAs(ctx, address, current, func(ctx context.Context, c *service.Account) error {
		if err := o.verifyToken(ctx, address, c); err != nil {
			return err
		}
		return o.keepAccount(ctx, s, server, *c)
	})
}

func (o *loginOptions) checkStorage(ctx context.Context, s *settings.Secrets, server string) error {
	release, err := service.HoldServer(ctx, s, server)
	if err != nil {
		return cli.WrapTrouble(err, "set PARLEY_STATE_DIR to another folder")
	}
	release()
	if o.insecure {
		return nil
	}
	return s.Probe()
}

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
		return cli.UsageError("--device, --browser and --with-token are mutually exclusive")
	}
	if ways == 0 && (!o.TTY.In || !o.TTY.Err) {
		return cli.UsageError("%w: use --device, --browser or --with-token", cli.ErrNoTerminal)
	}
	if o.withToken && o.TTY.In {
		return cli.UsageError("--with-token reads a token from a pipe or a file, because the terminal would show " +
			"the token: parley auth login --with-token < token.txt")
	}
	return nil
}

type acceptance func(context.Context, *service.Account) error

func (o *loginOptions) signInAs(ctx context.Context, address string, current *settings.Settings,
	accept acceptance) error {
	if o.withToken {
		tokens, err := o.readToken()
		if err != nil {
			return explainSignIn(err)
		}
		return accept(ctx, &service.Account{Tokens: tokens})
	}
	c, derived, err := o.findProvider(ctx, address, current)
	if err != nil {
		return explainSignIn(err)
	}
	if err := signin.CheckIssuer(c.Issuer); err != nil {
		return cli.UsageError("%w", err)
	}
	p, err := o.OpenProvider(ctx, c)
	if err != nil {
		return explainSignIn(err)
	}
	o.Say("signing in to %s at %s%s", service.ServerLabel(address), terminal.Clean(c.Issuer),
		terminal.Clean(nameTarget(c, address)))
	return o.signInFor(ctx, p, &c, derived, accept)
}

func (o *loginOptions) signInFor(ctx context.Context, p *signin.Provider, c *service.Account, derived bool,
	accept acceptance) error {
	var acceptErr error
	keep := func(ctx context.Context, got signin.Tokens) error {
		c.Tokens = got
		acceptErr = accept(ctx, c)
		return acceptErr
	}
	err := o.signIn(ctx, p, keep)
	if refused, ok := errors.AsType[*signin.RefusedError](err); ok && refused.Code == signin.CodeTarget && derived {
		o.Say("%s does not know %s as a resource: signing in without a resource; use --resource with one that the provider knows",
			terminal.Clean(c.Issuer), terminal.Clean(c.Resource))
		c.Resource = ""
		err = o.signIn(ctx, p.WithoutResource(), keep)
	}
	return cmp.Or(acceptErr, explainSignIn(err))
}

func nameTarget(c service.Account, address string) string {
	if c.Resource == "" || service.ServerName(c.Resource) == service.ServerName(address) {
		return ""
	}
	return ", with a token for " + c.Resource
}

const maxTokenInput = 64 << 10 // bytes

func (o *loginOptions) readToken() (signin.Tokens, error) {
	text, err := o.ReadInput("the token", maxTokenInput)
	if err != nil {
		return signin.Tokens{}, err
	}
	token := strings.TrimSpace(text)
	switch {
	case token == "":
		return signin.Tokens{}, cli.UsageError("stdin is empty: expected a token")
	case !signin.IsPlain(token):
		return signin.Tokens{}, cli.UsageError("the text on stdin is not a token: it has spaces or line breaks; check that the token was copied completely")
	}
	who, expires := signin.ReadClaims(token)
	return signin.Tokens{Access: token, Issued: o.Now().UTC(), Expires: expires, Person: who}, nil
}

func (o *loginOptions) signIn(ctx context.Context, provider *signin.Provider,
	keep func(context.Context, signin.Tokens) error) error {
	browser, found := findBrowser(o.Streams)
	prefersBrowser := !o.device && provider.HasBrowser() && (found || !provider.HasDevice())
	switch {
	case o.device && !provider.HasDevice():
		return cli.UsageError("%s does not support signing in with a code: use --browser", provider.Issuer())
	case o.browser && !provider.HasBrowser():
		return cli.UsageError("%s does not support signing in with a browser: use --device", provider.Issuer())
	case o.browser, prefersBrowser:
		_, err := provider.SignInByBrowser(ctx, func(address string) {
			if !found || launchBrowser(o.Streams, browser, address) != nil {
				o.Say("open this address in a browser on this machine:\n\n  %s\n", terminal.Clean(address))
				return
			}
			o.Say("your browser shows the sign-in; if it does not, open\n\n  %s\n", terminal.Clean(address))
		}, keep)
		return err
	}
	got, err := provider.SignInByDevice(ctx, func(code signin.Code) {
		o.Say("\n  1. open      %s\n  2. enter     %s\n", terminal.Clean(code.Address),
			o.Style.Bold(terminal.Clean(code.User)))
		if found && o.TTY.Err && code.Complete != "" {
			_ = launchBrowser(o.Streams, browser, code.Complete) // without a browser, the printed address remains
		}
		o.Say("%s", o.Style.Faint(fmt.Sprintf("waiting for you until %s; Ctrl-C cancels",
			cli.LocalTime(code.Expires).Format("15:04"))))
	})
	if err != nil {
		return err
	}
	return keep(ctx, got)
}

func (o *loginOptions) verifyToken(ctx context.Context, address string, account *service.Account) error {
	if account.Tokens.IsExpired(o.Now()) {
		return &cli.Failure{Code: cli.ExitSignIn, Err: errors.New("the token has expired"), Hint: o.LoginHint()}
	}
	api, err := o.NewClient(address, func(context.Context) (string, error) { return account.Tokens.Access, nil }, 0)
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
			Code: cli.ExitSignIn,
			Err:  fmt.Errorf("%s does not accept the token: %s", service.ServerLabel(address), refusal.Error()),
			Hint: "nothing was stored; " + o.adviseToken(account),
		}
	case err != nil:
		o.Say("cannot check the token at %s: %s", service.ServerLabel(address), terminal.Clean(err.Error()))
		return nil
	}
	if person := &account.Tokens.Person; person.Email == "" {
		// Keep the provider's subject, because renewed tokens are compared with it.
		*person = signin.Person{Subject: cmp.Or(person.Subject, me.ID), Email: me.Email, Name: me.DisplayName}
	}
	return nil
}

func (o *loginOptions) keepAccount(ctx context.Context, s *settings.Secrets, server string,
	account service.Account) error {
	release, err := service.HoldServer(ctx, s, server)
	if err != nil {
		return cli.WrapTrouble(err, "")
	}
	defer release()
	where := settings.StoredKeyring
	if o.insecure {
		where = settings.StoredFile
	}
	if err := service.KeepAccount(s, server, account, where); err != nil {
		return fmt.Errorf("store the sign-in: %w", err)
	}
	o.Say("signed in to %s as %s; the token is kept %s", service.ServerLabel(server),
		terminal.Clean(account.Tokens.Person.Label()), storedText(string(where)))
	if !account.Tokens.Expires.IsZero() && account.Tokens.Refresh == "" {
		o.Say("the token ends %s and cannot be renewed", cli.LocalTime(account.Tokens.Expires).Format(time.RFC1123))
	}
	if strings.TrimSpace(o.Env("PARLEY_TOKEN")) != "" {
		o.Say("PARLEY_TOKEN is set and overrides this sign-in: unset it")
	}
	return nil
}

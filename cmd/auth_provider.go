package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/cmd/signin"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// findProvider sets derived if neither flags nor settings specify the resource.
func (o *loginOptions) findProvider(ctx context.Context, address string,
	current *settings.Settings) (account service.Account, derived bool, err error) {
	account = service.Account{
		Issuer:   cmp.Or(o.issuer, current.Get(settings.Issuer).Value),
		ClientID: cmp.Or(o.clientID, current.Get(settings.ClientID).Value),
		Audience: cmp.Or(o.audience, current.Get(settings.Audience).Value),
		Resource: cmp.Or(o.resource, current.Get(settings.Resource).Value),
		Scopes:   o.scopes,
	}
	if err := service.CheckSetting(settings.Resource, account.Resource); err != nil {
		return account, false, err
	}
	description, err := o.askService(ctx, address, account.Issuer != "" && account.ClientID != "")
	if err != nil {
		return account, false, err
	}
	if err := checkOwnMachine(address, account.Issuer, description.signIn); err != nil {
		return account, false, err
	}
	o.fillAccount(&account, description)
	derived = account.Resource == ""
	if derived {
		candidates := []string{description.signIn.Resource, account.Audience, description.metadata.Name}
		if i := slices.IndexFunc(candidates, settings.IsResource); i >= 0 {
			account.Resource = candidates[i]
		}
	}
	account.Audience, account.Resource = dropNone(account.Audience), dropNone(account.Resource)
	if account.ClientID == "" {
		return account, false, cli.UsageError("--client-id is missing: neither the service nor the settings specify a client")
	}
	return account, derived, nil
}

func checkOwnMachine(address, issuer string, description wire.SignIn) error {
	if !description.Development || issuer != "" || wire.IsLoopbackURL(address) {
		return nil
	}
	return &cli.Failure{
		Code: cli.ExitTrouble,
		Err: fmt.Errorf("%s uses the development sign-in, which works only on the server's own machine",
			service.ServerLabel(address)),
		Hint: "the server's operator must choose an issuer of tokens: parley localserver --issuer URL, or --jwt-secret-file FILE",
	}
}

const optionalTimeout = 10 * time.Second

func (o *loginOptions) askService(ctx context.Context, address string, optional bool) (serviceDescription, error) {
	if !optional {
		return o.describeService(ctx, address, client.MaxAttempts)
	}
	ctx, cancel := context.WithTimeout(ctx, optionalTimeout)
	defer cancel()
	description, err := o.describeService(ctx, address, 1)
	if err != nil {
		return serviceDescription{}, nil // flags and settings are sufficient
	}
	return description, nil
}

type serviceDescription struct {
	signIn   wire.SignIn
	metadata signin.Resource // RFC 9728
}

func (o *loginOptions) describeService(ctx context.Context, address string, attempts int) (serviceDescription, error) {
	var description serviceDescription
	api, err := o.NewClient(address, service.NoToken, 0)
	if err != nil {
		return description, err
	}
	description.signIn, err = api.WithAttempts(attempts).SignIn(ctx)
	if err != nil && !lacksDescription(err) {
		return description, explainNoDescription(address, err, nil)
	}
	metadata, metadataErr := signin.ReadResource(ctx, address, service.UserAgent())
	if metadataErr == nil {
		description.metadata = metadata
	}
	if description.signIn.Issuer == "" && len(description.metadata.Issuers) == 0 {
		return description, explainNoDescription(address, err, metadataErr)
	}
	return description, nil
}

func explainNoDescription(address string, err, metadataErr error) error {
	if err != nil && wire.ErrorStatus(err) != http.StatusNotFound {
		return fmt.Errorf("cannot find out how to sign in to %s: %w", service.ServerLabel(address), err)
	}
	return &cli.Failure{
		Code: cli.ExitUsage,
		Err: fmt.Errorf("%s does not describe how to sign in: %w", service.ServerLabel(address),
			cmp.Or(metadataErr, errors.New("the description contains no identity provider"))),
		Hint: "set the identity provider with --issuer and --client-id, or give a token: parley auth login --with-token < FILE",
	}
}

// Some services do not return 404 for an unknown path.
func lacksDescription(err error) bool {
	refusal, ok := errors.AsType[*wire.Error](err)
	return ok && refusal.Status < http.StatusInternalServerError && refusal.Status != http.StatusTooManyRequests
}

func (o *loginOptions) fillAccount(account *service.Account, description serviceDescription) {
	issuers := description.issuers()
	switch {
	case len(issuers) == 0:
	case account.Issuer == "":
		account.Issuer = issuers[0]
	case !slices.Contains(issuers, account.Issuer):
		o.Say("the service accepts tokens of %s, but you are signing in at another provider",
			terminal.Clean(strings.Join(issuers, ", ")))
	}
	if account.Issuer == description.signIn.Issuer {
		account.ClientID = cmp.Or(account.ClientID, description.signIn.ClientID)
	}
	account.Audience = cmp.Or(account.Audience, description.signIn.Audience)
	if len(account.Scopes) == 0 {
		account.Scopes = description.scopes()
	}
}

func (d *serviceDescription) issuers() []string {
	list := slices.Clone(d.metadata.Issuers)
	at := slices.Index(list, d.signIn.Issuer)
	switch {
	case len(list) == 0 && d.signIn.Issuer != "":
		return []string{d.signIn.Issuer}
	case at > 0:
		list[0], list[at] = list[at], list[0]
	}
	return list
}

func (d *serviceDescription) scopes() []string {
	if len(d.signIn.Scopes) > 0 || len(d.metadata.Scopes) == 0 {
		return d.signIn.Scopes
	}
	all := append(signin.DefaultScopes(), d.metadata.Scopes...)
	slices.Sort(all)
	return slices.Compact(all)
}

func dropNone(target string) string {
	if target == settings.NoTarget {
		return ""
	}
	return target
}

func (o *loginOptions) adviseToken(c *service.Account) string {
	switch {
	case o.withToken:
		return "give an access token that is a JWT for this service"
	case c.Resource == "" && c.Audience == "":
		return "no audience and no resource were requested from the provider: request a JWT for this service with --resource URI or --audience NAME"
	}
	return fmt.Sprintf("the provider was asked for the resource %q and the audience %q: register the service there "+
		"as an API with JWT access tokens, or name another one with --resource URI or --audience NAME",
		c.Resource, c.Audience)
}

package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/wire"
)

func (o *doctorOptions) examineServer(ctx context.Context) []doctorResult {
	current, err := o.Settings()
	if err != nil {
		return nil // The examination of the settings reports the error.
	}
	at := current.Get(settings.Server)
	s, err := o.Connect()
	if err != nil {
		return []doctorResult{foundOK("server", "%s", err).withVerdict(verdictFail, "name another address with --server, PARLEY_SERVER or the setting server")}
	}
	once := s.WithAttempts(1)
	begun := o.Now()
	// Send no token. If the server rejected a token, its response would not show whether the rest
	// of the service works.
	answer, err := once.Send(ctx, client.Request{Method: http.MethodGet, Path: wire.PathPersonas, Query: url.Values{"limit": {"1"}}, NoToken: true})
	took := o.Now().Sub(begun)
	if answer == nil {
		silent := foundOK("server", "%s (from %s) %s", s.Client.Address(), at.Origin, explainSilence(ctx, err))
		verdict := verdictFail
		if o.database != "" && at.Source != settings.FromFlag {
			verdict = verdictWarn // a check of a database requires no server
		}
		return []doctorResult{silent.withVerdict(verdict, serverRemedy(s.Client.Address(), err))}
	}
	found := o.judgeAnswer(ctx, once, at, answer, err, took)
	if found.Verdict == verdictFail { // get no token to a server that is no persona chat service
		return []doctorResult{found}
	}
	list := append([]doctorResult{found}, o.compareClocks(answer, begun.Add(took/2))...)
	return append(list, o.examineSignIn(ctx, s, once)...)
}

func explainSilence(ctx context.Context, err error) string {
	if lost, ok := errors.AsType[*client.UnreachableError](err); ok && ctx.Err() == nil {
		if !lost.Broken && !lost.IsNobody() {
			return "does not answer: " + lost.Problem()
		}
		return fmt.Sprintf("does not answer: %v", lost.Err)
	}
	if late, ok := errors.AsType[*client.TimeoutError](err); ok {
		return fmt.Sprintf("does not answer within %s", late.After)
	}
	if ctx.Err() != nil {
		return fmt.Sprintf("does not answer within %s", checkPatience)
	}
	return withoutAdvice(err)
}

func withoutAdvice(err error) string {
	text, _, _ := strings.Cut(err.Error(), "; ")
	return text
}

func serverRemedy(address string, err error) string {
	lost, nobody := errors.AsType[*client.UnreachableError](err)
	switch {
	case nobody && !lost.Broken && !lost.IsNobody():
		return lost.Advice()
	case wire.IsLoopbackURL(address) && nobody && !lost.Broken:
		return "parley localserver"
	case wire.IsLoopbackURL(address):
		return "a program listens at this address but does not answer: stop the program, or use another server with --server"
	}
	return "check the address and the network, or use another server with --server"
}

func (o *doctorOptions) judgeAnswer(ctx context.Context, c *client.Client, at settings.Setting, answer *client.Response, err error, took time.Duration) doctorResult {
	found := foundOK("server", "%s (from %s) answers in %s%s", c.Address(), at.Origin, took.Round(time.Millisecond/10), o.fetchVersion(ctx, c))
	var list []json.RawMessage
	switch {
	case answer.Status == http.StatusTooManyRequests:
		return found.withVerdict(verdictWarn, "the server answers, but the rate limit is reached: wait a minute")
	case err != nil:
		found.Message += ", but with status " + fmt.Sprint(answer.Status)
		return found.withVerdict(verdictFail, "check that the address is a persona chat service")
	case json.Unmarshal(answer.Body, &list) != nil:
		found.Message += ", but not like a persona chat service"
		return found.withVerdict(verdictFail, "check the address")
	case strings.HasPrefix(c.Address(), "http://") && !wire.IsLoopbackURL(c.Address()):
		found.Message += ", over plain http: others on the network can read tokens"
		return found.withVerdict(verdictWarn, "use https")
	}
	return found
}

// fetchVersion returns the server's version, or "" for a server other than Parley's.
func (o *doctorOptions) fetchVersion(ctx context.Context, c *client.Client) string {
	answer, err := c.Send(ctx, client.Request{Method: http.MethodGet, Path: "/", NoToken: true})
	var about struct{ Service, Version, Interface string }
	if err != nil || json.Unmarshal(answer.Body, &about) != nil || about.Version == "" {
		return ""
	}
	return fmt.Sprintf(": %s %s, %s", about.Service, about.Version, about.Interface)
}

// Differences between this machine's clock and the server's. Tokens are valid for minutes to hours,
// and providers tolerate a difference of about one minute.
const (
	smallSkew = 30 * time.Second
	largeSkew = 5 * time.Minute
)

func (o *doctorOptions) compareClocks(answer *client.Response, ours time.Time) []doctorResult {
	theirs, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		return nil
	}
	skew := ours.Sub(theirs).Round(time.Second)
	found := foundOK("clock", "agrees with the server's clock")
	switch {
	case skew.Abs() < 2*time.Second:
		return []doctorResult{found}
	case skew > 0:
		found.Message = fmt.Sprintf("is %s ahead of the server's clock", skew)
	default:
		found.Message = fmt.Sprintf("is %s behind the server's clock", -skew)
	}
	const remedy = "set this machine's clock: tokens are refused when clocks differ"
	switch {
	case skew.Abs() > largeSkew:
		found = found.withVerdict(verdictFail, remedy)
	case skew.Abs() > smallSkew:
		found = found.withVerdict(verdictWarn, remedy)
	}
	return []doctorResult{found}
}

func (o *doctorOptions) examineSignIn(ctx context.Context, s *service.Service, once *client.Client) []doctorResult {
	token, err := o.NewBearer(s.Address).SendableToken(ctx)
	switch {
	case err != nil:
		return []doctorResult{foundOK("sign-in", "%s", err).withVerdict(verdictFail, cmp.Or(service.Explain(ctx, err).Hint, o.AdviseSignIn(ctx)))}
	case token == "":
		return []doctorResult{foundOK("sign-in", "nobody is signed in: public personas only").withVerdict(verdictWarn, o.AdviseSignIn(ctx))}
	}
	who, err := once.Me(ctx)
	// Read the status only now, because the call may have renewed the token.
	held, _ := readAuthStatus(o.Access, s.Address) // the error has shown itself above
	until, from := held.ExpiresAt, tokenOrigins[held.Stored]
	found := foundOK("sign-in", "%s, by %s%s", who.Email, from, held.validityText(o.Now()))
	switch {
	case wire.ErrorStatus(err) == http.StatusUnauthorized && until != nil && until.Before(o.Now()):
		return []doctorResult{foundOK("sign-in", "the token of %s expired at %s", from, o.ShownTime(*until).Format(cli.MinuteLayout+" MST")).withVerdict(verdictFail, o.AdviseSignIn(ctx))}
	case wire.ErrorStatus(err) == http.StatusUnauthorized:
		return []doctorResult{foundOK("sign-in", "the server refuses the token of %s: %s", from, err).withVerdict(verdictFail, o.AdviseSignIn(ctx))}
	case err != nil:
		return []doctorResult{foundOK("sign-in", "there is a token of %s, but the server did not return its user: %s", from, withoutAdvice(err)).withVerdict(verdictWarn, "try again")}
	case held.Problem != "":
		found.Message += "; " + held.Problem
		return []doctorResult{found.withVerdict(verdictWarn, o.AdviseSignIn(ctx))}
	case until != nil && !held.Renewable && until.Sub(o.Now()) < 5*time.Minute:
		return []doctorResult{found.withVerdict(verdictWarn, o.AdviseSignIn(ctx))}
	}
	return []doctorResult{found}
}

var tokenOrigins = map[string]string{ // by authStatus.Stored
	storedEnvironment:              "PARLEY_TOKEN",
	storedServer:                   "the local server's own sign-in",
	string(settings.StoredKeyring): "the sign-in in the system's keyring",
	string(settings.StoredFile):    "the sign-in in a file that only you can read",
}

func (o *doctorOptions) examineKeyring(context.Context) []doctorResult {
	if err := settings.OpenSecrets("", o.Keyring()).Probe(); err != nil {
		return []doctorResult{foundOK("keyring", "%s", err).withVerdict(verdictWarn, service.KeyringHint+"; or start a keyring (on Linux a Secret Service such as gnome-keyring)")}
	}
	return []doctorResult{foundOK("keyring", "answers")}
}

package cmd

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/personas/wire"
)

// examineServer looks at the server that the settings name: whether it answers as
// a persona chat service, how its clock goes, and whom it takes us for.
func (o *doctorOptions) examineServer(ctx context.Context) []examined {
	settings, err := o.settings()
	if err != nil {
		return nil // The settings' own examination says it.
	}
	at := settings.Get(config.Server)
	s, err := o.connect()
	if err != nil {
		return []examined{well("server", "%s", err).as(verdictFail, "name another address with --server, PARLEY_SERVER or the setting server")}
	}
	once := s.WithRetry(client.RetryPolicy{Attempts: 1})
	begun := o.now()
	// Without a token, so that one that is refused does not hide the server.
	answer, err := once.Send(ctx, client.Request{Method: http.MethodGet, Path: wire.PathPersonas, Query: url.Values{"limit": {"1"}}, NoToken: true})
	took := o.now().Sub(begun)
	if answer == nil {
		return []examined{well("server", "%s (from %s) %s", s.Address(), at.Origin, silence(ctx, err)).as(verdictFail, serverRemedy(s.Address(), err))}
	}
	found := o.serverFound(ctx, once, at, answer, err, took)
	if found.Verdict == verdictFail { // It is something else, and gets no token.
		return []examined{found}
	}
	list := append([]examined{found}, o.clock(answer, begun.Add(took/2))...)
	return append(list, o.examineSignIn(ctx, s, once)...)
}

// silence says why there was no answer, as the predicate of a sentence.
func silence(ctx context.Context, err error) string {
	if lost, ok := errors.AsType[*client.Unreachable](err); ok && ctx.Err() == nil {
		return fmt.Sprintf("does not answer: %v", lost.Err)
	}
	if late, ok := errors.AsType[*client.TimedOut](err); ok {
		return fmt.Sprintf("does not answer within %s", late.After)
	}
	if ctx.Err() != nil {
		return fmt.Sprintf("does not answer within %s", checkPatience)
	}
	return withoutAdvice(err)
}

// withoutAdvice is what failed without what a command of its own would advise.
func withoutAdvice(err error) string {
	text, _, _ := strings.Cut(err.Error(), "; ")
	return text
}

func serverRemedy(address string, err error) string {
	lost, nobody := errors.AsType[*client.Unreachable](err)
	switch {
	case isLoopbackAddress(address) && nobody && !lost.Broken:
		return "parley localserver"
	case isLoopbackAddress(address):
		return "something listens there that does not answer: stop it, or name another server with --server"
	}
	return "check the address and the network, or name another server with --server"
}

func isLoopbackAddress(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// serverFound judges the answer to the list of personas.
func (o *doctorOptions) serverFound(ctx context.Context, c *client.Client, at config.Setting, answer *client.Response, err error, took time.Duration) examined {
	found := well("server", "%s (from %s) answers in %s%s", c.Address(), at.Origin, took.Round(time.Millisecond/10), o.versionOf(ctx, c))
	var list []json.RawMessage
	switch {
	case answer.Status == http.StatusTooManyRequests:
		return found.as(verdictWarn, "it answers, but the rate limit is reached: wait a minute")
	case err != nil:
		found.Message += ", but with status " + fmt.Sprint(answer.Status)
		return found.as(verdictFail, "check that the address is a persona chat service")
	case json.Unmarshal(answer.Body, &list) != nil:
		found.Message += ", but not as a persona chat service does"
		return found.as(verdictFail, "check the address")
	case strings.HasPrefix(c.Address(), "http://") && !isLoopbackAddress(c.Address()):
		found.Message += ", over plain http, where tokens can be read on the way"
		return found.as(verdictWarn, "use https")
	}
	return found
}

// versionOf is what a Parley server says of itself; another one need not.
func (o *doctorOptions) versionOf(ctx context.Context, c *client.Client) string {
	answer, err := c.Send(ctx, client.Request{Method: http.MethodGet, Path: "/", NoToken: true})
	var about struct{ Service, Version, Interface string }
	if err != nil || json.Unmarshal(answer.Body, &about) != nil || about.Version == "" {
		return ""
	}
	return fmt.Sprintf(": %s %s, %s", about.Service, about.Version, about.Interface)
}

// Differences of clocks. Tokens are valid for minutes to hours, and providers
// allow about one minute.
const (
	smallSkew = 30 * time.Second
	largeSkew = 5 * time.Minute
)

// clock compares the server's clock with ours, by the header Date (whole seconds).
func (o *doctorOptions) clock(answer *client.Response, ours time.Time) []examined {
	theirs, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		return nil
	}
	skew := ours.Sub(theirs).Round(time.Second)
	found := well("clock", "agrees with the server's")
	switch {
	case skew.Abs() < 2*time.Second:
		return []examined{found}
	case skew > 0:
		found.Message = fmt.Sprintf("is %s ahead of the server's", skew)
	default:
		found.Message = fmt.Sprintf("is %s behind the server's", -skew)
	}
	const remedy = "set this machine's clock: tokens are refused when clocks differ"
	switch {
	case skew.Abs() > largeSkew:
		found = found.as(verdictFail, remedy)
	case skew.Abs() > smallSkew:
		found = found.as(verdictWarn, remedy)
	}
	return []examined{found}
}

// examineSignIn says whose token there is, where it comes from, how long it
// lasts, and whether the server takes it.
func (o *doctorOptions) examineSignIn(ctx context.Context, s *service, once *client.Client) []examined {
	token, err := o.token(s.address)(ctx)
	switch {
	case err != nil:
		return []examined{well("sign-in", "%s", err).as(verdictFail, signInHint)}
	case token == "":
		return []examined{well("sign-in", "nobody is signed in: public personas only").as(verdictWarn, signInHint)}
	}
	from := o.tokenOrigin(s.address, token)
	until, known := expiryOf(token)
	who, err := once.Me(ctx)
	found := well("sign-in", "%s, by %s%s", who.Email, from, lasts(until, known, o.now()))
	switch {
	case isUnauthenticated(err) && known && until.Before(o.now()):
		return []examined{well("sign-in", "the token of %s expired at %s", from, until.UTC().Format("2006-01-02 15:04 MST")).as(verdictFail, signInHint)}
	case isUnauthenticated(err):
		return []examined{well("sign-in", "the server refuses the token of %s: %s", from, err).as(verdictFail, signInHint)}
	case err != nil:
		return []examined{well("sign-in", "there is a token of %s, but the server did not say whose: %s", from, withoutAdvice(err)).as(verdictWarn, "try again")}
	case known && until.Sub(o.now()) < 5*time.Minute:
		return []examined{found.as(verdictWarn, signInHint)}
	}
	return []examined{found}
}

// tokenOrigin says where a token was found.
func (o *doctorOptions) tokenOrigin(address, token string) string {
	if strings.TrimSpace(o.env("PARLEY_TOKEN")) == token {
		return "PARLEY_TOKEN"
	}
	if dir, err := o.dirs().Data(); err == nil {
		if own, err := o.signInToken(dir, address); err == nil && own == token {
			return "the local server's own sign-in"
		}
	}
	return "the sign-in that is kept for this server"
}

func lasts(until time.Time, known bool, now time.Time) string {
	if !known {
		return ""
	}
	left := until.Sub(now).Round(time.Minute)
	if left > 48*time.Hour {
		return fmt.Sprintf(", for %d days", int(left.Hours()/24))
	}
	return fmt.Sprintf(", for %d h %d min", int(left.Hours()), int(left.Minutes())%60)
}

// expiryOf reads until when a JWT is valid, without judging it: that is the
// server's.
func expiryOf(token string) (time.Time, bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}, false
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	var claims struct {
		Expiry float64 `json:"exp"`
	}
	if err != nil || json.Unmarshal(text, &claims) != nil || claims.Expiry <= 0 || claims.Expiry > 1e12 {
		return time.Time{}, false
	}
	return time.Unix(int64(claims.Expiry), 0), true
}

// examineKeyring asks whether secrets can be kept in the system's keyring.
func (o *doctorOptions) examineKeyring(ctx context.Context) []examined {
	err := config.ProbeKeyring(ctx, o.lookup)
	const remedy = "keep tokens in PARLEY_TOKEN, or start a keyring (on Linux a Secret Service such as gnome-keyring)"
	if err == nil {
		return []examined{well("keyring", "answers")}
	}
	return []examined{well("keyring", "%s", err).as(verdictWarn, remedy)}
}

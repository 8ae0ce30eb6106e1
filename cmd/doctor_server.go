package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

func (o *doctorOptions) examineServer(ctx context.Context) []doctorResult {
	current, err := o.Settings()
	if err != nil {
		return nil // examineSettings reports the error
	}
	at := current.Get(settings.Server)
	s, err := o.Connect()
	if err != nil {
		return []doctorResult{foundOK("server", "%s", err).
			fail("name another address with --server, PARLEY_SERVER or the setting server")}
	}
	once := s.WithAttempts(1)
	begun := o.Now()
	// Send no token. A rejected token would hide whether the service works.
	answer, err := once.Send(ctx, client.Request{Method: http.MethodGet, Path: wire.PathPersonas,
		Query: url.Values{"limit": {"1"}}, NoToken: true})
	took := o.Now().Sub(begun)
	if answer == nil {
		problem, advice, _ := strings.Cut(err.Error(), "; ")
		found := foundOK("server", "%s (from %s) does not answer: %s", s.Client.Address(), at.Origin, problem)
		advice = cmp.Or(advice, "check the address and the network, or use another server with --server")
		if o.database != "" && at.Source != settings.FromFlag {
			return []doctorResult{found.warn(advice)} // a check of a database requires no server
		}
		return []doctorResult{found.fail(advice)}
	}
	found := o.judgeAnswer(ctx, once, at, answer, err, took)
	if found.Verdict == verdictFail { // send no token to another kind of server
		return []doctorResult{found}
	}
	list := append([]doctorResult{found}, compareClocks(answer, begun.Add(took/2))...)
	return append(list, o.examineSignIn(ctx, s, once))
}

func (o *doctorOptions) judgeAnswer(ctx context.Context, c *client.Client, at settings.Setting,
	answer *client.Response, err error, took time.Duration) doctorResult {
	found := foundOK("server", "%s (from %s) answers in %s%s", c.Address(), at.Origin,
		took.Round(time.Millisecond/10), o.fetchVersion(ctx, c))
	var list []json.RawMessage
	switch {
	case answer.Status == http.StatusTooManyRequests:
		return found.warn("the server answers, but the rate limit is reached: wait a minute")
	case err != nil || json.Unmarshal(answer.Body, &list) != nil:
		found.Message += fmt.Sprintf(", but not like a persona chat service (status %d)", answer.Status)
		return found.fail("check the address")
	case strings.HasPrefix(c.Address(), "http://") && !wire.IsLoopbackURL(c.Address()):
		found.Message += ", over plain http: others on the network can read tokens"
		return found.warn("use https")
	}
	return found
}

func (o *doctorOptions) fetchVersion(ctx context.Context, c *client.Client) string {
	answer, err := c.Send(ctx, client.Request{Method: http.MethodGet, Path: "/", NoToken: true})
	var about struct{ Service, Version, Interface string }
	if err != nil || json.Unmarshal(answer.Body, &about) != nil || about.Version == "" {
		return ""
	}
	return fmt.Sprintf(": %s %s, %s", about.Service, about.Version, about.Interface)
}

// Clock differences. Tokens are valid for minutes to hours. Providers tolerate about one minute.
const (
	smallSkew = 30 * time.Second
	largeSkew = 5 * time.Minute
)

func compareClocks(answer *client.Response, ours time.Time) []doctorResult {
	theirs, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		return nil
	}
	skew := ours.Sub(theirs).Round(time.Second)
	found := foundOK("clock", "agrees with the server's clock")
	if skew.Abs() >= 2*time.Second {
		found.Message = fmt.Sprintf("differs from the server's clock by %s", skew)
	}
	const remedy = "set this machine's clock: tokens are refused when clocks differ"
	switch {
	case skew.Abs() > largeSkew:
		found = found.fail(remedy)
	case skew.Abs() > smallSkew:
		found = found.warn(remedy)
	}
	return []doctorResult{found}
}

func (o *doctorOptions) examineSignIn(ctx context.Context, s *service.Service, once *client.Client) doctorResult {
	token, err := o.NewBearer(s.Address).SendableToken(ctx)
	switch {
	case err != nil:
		return foundOK("sign-in", "%s", err).fail(cmp.Or(service.Explain(ctx, err).Hint, o.AdviseSignIn(ctx)))
	case token == "":
		return foundOK("sign-in", "nobody is signed in: public personas only").warn(o.AdviseSignIn(ctx))
	}
	who, err := once.Me(ctx)
	// Read the status only now, because the call may have renewed the token.
	held, _ := readAuthStatus(o.Access, s.Address) // an error was reported above
	where := storedText(held.Stored)
	found := foundOK("sign-in", "%s, with a token kept %s, ends: %s", who.Email, where, held.endText(o.Now(), o.ShownTime))
	switch {
	case wire.ErrorStatus(err) == http.StatusUnauthorized:
		return foundOK("sign-in", "the server refuses the token kept %s: %s", where, err).fail(o.AdviseSignIn(ctx))
	case err != nil:
		return foundOK("sign-in", "the server did not return the user of the token kept %s: %s", where, err).warn("try again")
	case held.Problem != "":
		found.Message += "; " + held.Problem
		return found.warn(o.AdviseSignIn(ctx))
	case held.ExpiresAt != nil && !held.Renewable && held.ExpiresAt.Sub(o.Now()) < 5*time.Minute:
		return found.warn(o.AdviseSignIn(ctx))
	}
	return found
}

func (o *doctorOptions) examineKeyring(context.Context) []doctorResult {
	if err := settings.OpenSecrets("", o.Keyring()).Probe(); err != nil {
		return []doctorResult{foundOK("keyring", "%s", err).
			warn(service.KeyringHint + "; or start a keyring (on Linux a Secret Service such as gnome-keyring)")}
	}
	return []doctorResult{foundOK("keyring", "answers")}
}

const maxModelNames = 200 // characters

func (o *doctorOptions) examineModels(ctx context.Context) []doctorResult {
	servers := models.FindLocal(ctx, models.Settings{Env: o.Env}, cli.VersionText())
	var list []doctorResult
	for _, l := range servers {
		if l.Reached {
			list = append(list, examineModelServer(&l))
		}
	}
	var keys []string
	for _, p := range provider.Providers {
		for _, variable := range p.KeyVariables {
			if !p.Local && o.Env(variable) != "" {
				keys = append(keys, fmt.Sprintf("%s by %s", p.Title, variable))
				break
			}
		}
	}
	if o.Env(models.EnvKey) != "" {
		keys = append(keys, "any model of --llm, with the key in "+models.EnvKey)
	}
	if len(keys) > 0 {
		list = append(list, foundOK("models", "%s", strings.Join(keys, "; ")))
	}
	if len(list) == 0 {
		found := foundOK("models", "the built-in offline model; no model server answers on this machine (%s)",
			service.DescribeSearched(servers))
		found.Remedy = "for other models see `parley help environment`"
		return []doctorResult{found}
	}
	return list
}

func examineModelServer(l *provider.Listing) doctorResult {
	model := l.ChatModel()
	switch {
	case l.Err != nil:
		return foundOK("models", "%s", l.Err).warn("check the program at " + l.Address)
	case model == "":
		return foundOK("models", "%s at %s has no model that generates text", l.Title, l.Address).
			warn("load such a model there")
	}
	names := plaintext.ClipAfter(strings.Join(l.Models, ", "), maxModelNames, plaintext.Ellipsis)
	found := foundOK("models", "%s at %s has %s that can judge by %s", l.Title, l.Address, names,
		strings.Join(l.Judges, " or "))
	found.Remedy = "parley chat --local --llm " + plaintext.ShellWord(model)
	return found
}

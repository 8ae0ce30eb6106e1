package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/mail"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/tui/terminal"
)

type localserverOptions struct {
	*app
	listen   string
	data     string
	llm      llmFlags
	chatAuth string
	playURL  string
	// durability is what an acknowledged write survives.
	durability string
	// who says where tokens come from.
	who   localserver.Who
	hosts []string
	gate  gateFlags
	// watched are the persona files and folders that are saved again as they change.
	watched []string
}

const localserverLong = `Run the persona chat service on this machine, until Ctrl-C. The first line on stdout
is its address; everything else goes to stderr.

It listens on loopback only and keeps its database in the data folder. Commands on
this machine sign in to it by themselves; others sign in on its page, which asks for
an e-mail address and believes it, or take a token of ` + "`parley localserver token`" + `.
With --issuer or --jwt-secret-file tokens come from a real identity provider, and it
may listen on other addresses too.

` + llmHelp + `
With --llm callers, callers of the game SDK are played by the models and keys that they
bring, and everybody else offline; with a model of the server's own they may bring
theirs too. ` + "`parley localserver models`" + ` shows what can be named.

With --watch it saves persona files as they change, while somebody plays: sessions go
on with the version in which they began, new ones get the new one. What is wrong with a
file is said as by ` + "`parley persona lint`" + `; a file that is deleted leaves its persona.

` + faultHelp

const localserverExample = `  parley localserver
  parley localserver --listen 127.0.0.1:0 --data ./data
  parley localserver --watch personas/
  parley localserver --llm ollama/llama3.2
  parley localserver --llm openai/gpt-4o --llm-eval groq/llama-3.3-70b-versatile
  parley localserver --fault status=503,rate=0.1 --fault latency=2s,path=/message
  parley localserver --fault status=429,retry-after=5,every=10`

func newLocalserverCmd(a *app, run func(context.Context, *localserverOptions) error) *cobra.Command {
	o := &localserverOptions{app: a}
	c := &cobra.Command{
		Use:     "localserver",
		Short:   "Run the persona chat service on this machine",
		Long:    localserverLong,
		Example: localserverExample,
		Args:    onlyCommands,
		RunE:    func(c *cobra.Command, _ []string) error { return run(c.Context(), o) },
	}
	c.Flags().StringVar(&o.listen, "listen", "127.0.0.1:8787", "loopback `ADDRESS` to listen on; port 0 takes a free one")
	o.llm.add(c)
	c.Flags().StringVar(&o.chatAuth, "chat-auth", "optional", "whether a web chat needs a token, `MODE`: optional or required")
	c.Flags().StringVar(&o.playURL, "play-url", "", "the `URL` that play links begin with (default: the server's address and /play)")
	c.Flags().StringVar(&o.durability, "durability", "full", "what an answered call survives, `MODE`: full, a power cut, or normal, a killed process")
	c.Flags().StringArrayVar(&o.watched, "watch", nil, "save the personas of this `FILE` or folder, now and again when they change (repeatable)")
	addData(c, &o.data)
	o.addWho(c)
	o.gate.add(c)
	c.AddCommand(newTokenCmd(a, runToken), newModelsCmd(a, runModels), newSnapshotCmd(a, runSnapshot), newRestoreCmd(a, runRestore), newExecCmd(a, runExec))
	return c
}

// addWho adds the flags that say where tokens come from.
func (o *localserverOptions) addWho(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.who.Issuer, "issuer", "", "the OpenID provider whose tokens are accepted, by its `URL` exactly as it writes it")
	f.StringVar(&o.who.Audience, "audience", "", "the `NAME` that tokens must be for")
	f.StringVar(&o.who.ClientID, "client-id", "", "the public client `ID` that commands sign in with at the issuer")
	f.StringVar(&o.who.JWTSecretFile, "jwt-secret-file", "", "the `FILE` with the secret of a provider that signs HS256, at least 32 bytes")
	f.StringSliceVar(&o.hosts, "host", nil, "a `NAME` besides localhost under which the server is reached (repeatable)")
	c.PreRunE = func(*cobra.Command, []string) error { return o.checkWho(f.Changed) }
}

// checkWho finds what cannot be meant before anything is opened. An empty name,
// as of a variable that is not set, must not make the server believe anybody.
func (o *localserverOptions) checkWho(set func(string) bool) error {
	switch {
	case set("issuer") && o.who.Issuer == "" || set("jwt-secret-file") && o.who.JWTSecretFile == "":
		return usage("--issuer and --jwt-secret-file must not be empty")
	case o.who.Issuer != "" && o.who.JWTSecretFile != "":
		return usage("--issuer and --jwt-secret-file: tokens come from the one or the other")
	case o.who.Issuer != "" && o.who.Audience == "":
		return usage("--issuer needs --audience: the name that the provider writes into tokens for this server")
	case o.who.Issuer == "" && o.who.JWTSecretFile == "" && o.who.Audience != "":
		return usage("--audience needs --issuer or --jwt-secret-file")
	case o.who.Issuer == "" && o.who.ClientID != "":
		return usage("--client-id needs --issuer")
	}
	return o.checkWatch()
}

func addData(c *cobra.Command, data *string) {
	c.Flags().StringVar(data, "data", "", "data `FOLDER` (default: PARLEY_DATA_DIR, else the user's data folder; :memory: keeps nothing)")
}

func runLocalserver(ctx context.Context, o *localserverOptions) error {
	options, err := o.options()
	if err != nil {
		return err
	}
	collectLess()
	server, err := localserver.Start(ctx, options)
	if err != nil {
		return starting("start the local server", err)
	}
	if err := o.welcome(server); err != nil {
		return errors.Join(err, server.Close())
	}
	unwatch, err := o.watchFiles(ctx, server)
	if err != nil {
		return errors.Join(err, server.Close())
	}
	select {
	case <-ctx.Done():
	case <-server.Done():
	}
	unwatch()
	return o.stop(server)
}

// serverGC is how much garbage, in percent of what is in use, a server lets come
// together.
const serverGC = 400

// collectLess makes the garbage collector run less often than by default: a server
// keeps a few megabytes and throws away tens of kilobytes with each request, so
// that for some megabytes more it answers a quarter more requests. Whoever sets
// GOGC has decided.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(serverGC)
	}
}

// starting says why a server did not start.
func starting(what string, err error) error {
	if _, ok := errors.AsType[*localserver.LLMError](err); ok {
		return badLLM(err)
	}
	return trouble(fmt.Errorf("%s: %w", what, err), startHint(err))
}

// startHint is the next step when a server cannot start.
func startHint(err error) string {
	if errors.Is(err, syscall.EADDRINUSE) {
		return "another program listens there: take a free port with --listen 127.0.0.1:0"
	}
	return ""
}

// welcome says where the server is and what to do with it.
func (o *localserverOptions) welcome(server *localserver.Server) error {
	if _, err := fmt.Fprintln(o.out, server.URL()); err != nil {
		return err
	}
	o.say("data     %s", server.Dir())
	for _, line := range o.llm.into(o.app).Speakers() {
		o.say("model    %s", line)
	}
	o.sayWho(server)
	for _, rule := range o.gate.faults {
		o.say("fault    %s", rule)
	}
	for _, path := range o.watched {
		o.say("watch    %s", terminal.Clean(path))
	}
	o.say("stop     Ctrl-C")
	return nil
}

// sayWho says how to be somebody.
func (o *localserverOptions) sayWho(server *localserver.Server) {
	switch {
	case o.who.Issuer != "":
		o.say("token    from %s", o.who.Issuer)
		return
	case o.who.JWTSecretFile != "":
		o.say("token    from whoever signs with the secret in %s", o.who.JWTSecretFile)
		return
	case o.data == "":
		o.say("sign in  parley commands on this machine are signed in as %s", server.User())
	}
	o.say("token    parley localserver token%s --user you@example.com", o.dataFlag(server))
}

// dataFlag is how another command names this server's data folder.
func (o *localserverOptions) dataFlag(server *localserver.Server) string {
	if o.data == "" {
		return ""
	}
	return " --data " + server.Dir()
}

const graceful = 30 * time.Second

// stop lets the server finish what it is answering. It is not the context that
// ended which bounds this.
func (o *localserverOptions) stop(server *localserver.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), graceful)
	defer cancel()
	o.say("stopping")
	if err := errors.Join(server.Err(), server.Shutdown(ctx)); err != nil {
		return trouble(fmt.Errorf("stop the local server: %w", err), "")
	}
	return nil
}

func (o *localserverOptions) options() (localserver.Options, error) {
	if err := o.llm.check(o.app); err != nil {
		return localserver.Options{}, err
	}
	if o.chatAuth != "optional" && o.chatAuth != "required" {
		return localserver.Options{}, usage("--chat-auth %q: it takes optional or required", o.chatAuth)
	}
	if o.durability != "full" && o.durability != "normal" {
		return localserver.Options{}, usage("--durability %q: it takes full or normal", o.durability)
	}
	data, err := o.dataFolder(o.data)
	options := localserver.Options{
		Who: o.who, Hosts: o.hosts,
		Listen: o.listen, Data: data, ChatAuth: localserver.ChatAuth(o.chatAuth), PlayURL: o.playURL,
		Durability: localserver.Durability(o.durability), LLM: o.llm.into(o.app),
		Version: versionText(), Log: o.logger(),
	}
	return options, errors.Join(o.gate.into(&options), err)
}

func (a *app) dataFolder(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	return a.dirs().Data()
}

// logger writes text on a terminal and JSON elsewhere.
func (a *app) logger() *slog.Logger {
	if a.tty.err {
		return slog.New(slog.NewTextHandler(a.err, nil))
	}
	return slog.New(slog.NewJSONHandler(a.err, nil))
}

type tokenOptions struct {
	*app
	data string
	user string
	ttl  time.Duration
}

func newTokenCmd(a *app, run func(context.Context, *tokenOptions) error) *cobra.Command {
	o := &tokenOptions{app: a}
	c := &cobra.Command{
		Use:     "token",
		Short:   "Print a bearer token of the local server",
		Long:    "Print a bearer token for a user of the local server with this data folder, whether it\nruns or not.",
		Example: "  PARLEY_TOKEN=$(parley localserver token --user alice@example.com) parley persona list --mine",
		Args:    exactly(),
		RunE:    func(c *cobra.Command, _ []string) error { return run(c.Context(), o) },
	}
	addData(c, &o.data)
	c.Flags().StringVar(&o.user, "user", "", "the user's e-mail `ADDRESS`")
	c.Flags().DurationVar(&o.ttl, "ttl", 12*time.Hour, "how long it is valid, `DURATION`")
	return c
}

func runToken(_ context.Context, o *tokenOptions) error {
	if o.user == "" {
		return usage("whose token? name the user with --user, an e-mail address")
	}
	if _, err := mail.ParseAddress(o.user); err != nil {
		return usage("--user %q is no e-mail address", o.user)
	}
	data, err := o.dataFolder(o.data)
	if err != nil {
		return err
	}
	if !localserver.Used(data) {
		o.say("no server has used %s yet: the token is for one that will", data)
	}
	token, err := localserver.DevToken(data, o.user, o.ttl)
	if err != nil {
		return trouble(fmt.Errorf("make a token: %w", err), "")
	}
	_, err = fmt.Fprintln(o.out, token)
	return err
}

// signInToken is the token that a running server left for this machine's user,
// if it is for just this address.
func (a *app) signInToken(dir, address string) (string, error) {
	in, err := localserver.ReadSignIn(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case in.Address != address || a.now().After(in.ExpiresAt):
		return "", nil
	}
	return in.Token, nil
}

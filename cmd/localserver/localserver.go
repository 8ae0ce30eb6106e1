// Package localservercmd implements `parley localserver` and its subcommands. NewCmd takes the
// FileWatcher as a parameter, because packages of commands do not import each other.
package localservercmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/tui/terminal"
)

type localserverOptions struct {
	*service.Access
	listen        string
	metricsListen string
	data          string
	database      string
	temporary     bool // ignore PARLEY_DATABASE, because all data is removed with the server
	llm           service.LLMFlags
	chatAuth      string
	director      string
	playURL       string
	publicURL     string
	durability    string
	drainDelay    time.Duration
	keepDays      int // 0 for no limit
	who           localserver.TokenSource
	hosts         []string
	requests      requestFlags
	limitGiven    func() bool // whether --rate-limit was given; nil for a server of exec
	watched       []string
	watch         FileWatcher
}

const defaultListen = "127.0.0.1:8787"

const localserverLong = `Run the persona chat service on this machine until Ctrl-C. The first line on stdout
is its address; everything else goes to stderr.

It listens on loopback and keeps its database in the data directory. Commands on
this machine are signed in automatically; others sign in on its page, which accepts
any e-mail address, or use a token of ` + "`parley localserver token`" + `. Neither works
through a proxy. With --issuer or --jwt-secret-file tokens come from a real identity
provider, and the server may listen on other addresses.

With --database postgres://USER@HOST/NAME data is kept in PostgreSQL 13 or newer,
which several servers may share; sqlite:PATH names another file. The password comes
from PGPASSWORD, a password file, a service file or PARLEY_DATABASE. An address of
another machine needs sslmode. If the database is starting or recovering, the server
waits up to a minute.

` + service.LLMHelp + `
With --llm callers, callers of the game SDK bring their models and keys, and everybody
else plays offline; with a model of the server they may bring theirs too.
` + "`parley localserver models`" + ` lists models.

--llm-base-url is the address of the models that you name; it is refused if --llm
names a provider that is never asked there. Callers who leave the model to you use
that address, with their key. A model that a caller names (X-LLM-Model) is asked at
its provider's own address, so --llm callers does not use --llm-base-url.

With --watch it saves persona files when they change: running sessions keep their
version, new ones get the new version, and stderr names the first message of each
running one that would do something else now. Mistakes are reported as by
` + "`parley persona lint`" + `. Deleting a file does not delete its persona.

` + faultHelp

const localserverExample = `  parley localserver
  parley localserver --listen 127.0.0.1:0 --data ./data
  parley localserver --watch personas/
  parley localserver --llm ollama/llama3.2
  parley localserver --llm openai/gpt-4o --llm-eval groq/llama-3.3-70b-versatile
  parley localserver --fault status=503,rate=0.1 --fault latency=2s,path=/message
  parley localserver --fault status=429,retry-after=5,every=10`

// NewCmd returns the `parley localserver` command. watch saves the files of --watch.
func NewCmd(access *service.Access, watch FileWatcher) *cobra.Command {
	o := &localserverOptions{Access: access, watch: watch}
	c := &cobra.Command{
		Use:     "localserver",
		Short:   "Run the persona chat service on this machine",
		Long:    localserverLong,
		Example: localserverExample,
		Args:    cli.RequireSubcommand,
		RunE:    func(c *cobra.Command, _ []string) error { return runLocalserver(c.Context(), o) },
	}
	c.Flags().StringVar(&o.listen, "listen", defaultListen,
		"`ADDRESS` to listen on; without --issuer or --jwt-secret-file it must be a loopback address; port 0 chooses a free port")
	c.Flags().StringVar(&o.metricsListen, "metrics-listen", "",
		"second `ADDRESS` that serves only /metrics, to everybody who can reach it (default: at --listen, for this machine only)")
	o.llm.AddFlags(c)
	o.llm.AddSeedFlag(c)
	c.Flags().StringVar(&o.chatAuth, "chat-auth", "optional",
		"whether a web chat needs a token, `MODE`: optional or required")
	addDirectorFlag(c, &o.director, "on for callers on this machine, off with --issuer or --jwt-secret-file")
	c.Flags().StringVar(&o.publicURL, "public-url", "",
		"`URL` at which callers reach the server or the proxy in front of it (default: the server's address)")
	c.Flags().StringVar(&o.playURL, "play-url", "",
		"the `URL` that play links begin with (default: the server's public URL and /play)")
	c.Flags().StringVar(&o.durability, "durability", "full", "durability of answered calls, `MODE`: full survives "+
		"a power cut; normal survives a killed process, but a power cut loses the openings, turns and forks of the "+
		"last second")
	c.Flags().IntVar(&o.keepDays, "keep-sessions", 0,
		"delete a player's sessions with a persona `DAYS` after the last message (default: keep them)")
	c.Flags().DurationVar(&o.drainDelay, "drain-delay", 0,
		"after SIGTERM keep answering for this `DURATION`, with /readyz 503, so that a load balancer stops sending calls")
	c.Flags().StringArrayVar(&o.watched, "watch", nil,
		"save the personas of this `FILE` or folder, now and again when they change (repeatable)")
	addDataFlag(c, &o.data)
	c.Flags().StringVar(&o.database, "database", "", databaseHelp)
	o.addSignInFlags(c)
	o.requests.addRequestFlags(c)
	o.limitGiven = func() bool { return c.Flags().Changed("rate-limit") }
	c.AddCommand(newTokenCmd(access.Environment), newModelsCmd(access.Environment),
		newSnapshotCmd(access.Environment), newRestoreCmd(access.Environment), newExecCmd(access))
	return c
}

func (o *localserverOptions) addSignInFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.who.Issuer, "issuer", "",
		"accept tokens of this OpenID provider: its issuer `URL`, written exactly as in its tokens")
	f.StringVar(&o.who.Audience, "audience", "", "the `NAME` that tokens must have as audience")
	f.StringVar(&o.who.Resource, "resource", "",
		"`URL` that clients use for this server; tokens for it are accepted too (default: --audience if it is a URL)")
	f.StringVar(&o.who.ClientID, "client-id", "", "the public client `ID` that commands sign in with at the issuer")
	f.StringVar(&o.who.JWTSecretFile, "jwt-secret-file", "",
		"the `FILE` with the secret of a provider that signs HS256, at least 32 bytes")
	f.StringSliceVar(&o.hosts, "host", nil,
		"a host `NAME` besides localhost for reaching the server; requires --issuer or --jwt-secret-file (repeatable)")
	c.PreRunE = func(*cobra.Command, []string) error {
		if err := o.checkHosts(f.Changed("host")); err != nil {
			return err
		}
		return o.checkSignIn(f.Changed)
	}
}

// checkHosts also rejects an empty list, as in --host "$UNSET".
func (o *localserverOptions) checkHosts(set bool) error {
	names := o.hosts
	if set && len(names) == 0 {
		names = []string{""}
	}
	for _, name := range names {
		if err := localserver.CheckHost(name); err != nil {
			return cli.UsageError("--host: %w", err)
		}
	}
	return nil
}

// checkSignIn rejects an empty issuer, because the server would fall back to the development
// sign-in.
func (o *localserverOptions) checkSignIn(set func(string) bool) error {
	noIssuer := set("issuer") && o.who.Issuer == ""
	noSecret := set("jwt-secret-file") && o.who.JWTSecretFile == ""
	if noIssuer || noSecret {
		return cli.UsageError("--issuer and --jwt-secret-file must not be empty")
	}
	if err := o.who.Check(); err != nil {
		return cli.UsageError("%w", err)
	}
	if len(o.watched) > 0 && (o.who.Issuer != "" || o.who.JWTSecretFile != "") {
		return cli.UsageError("--watch is not possible with --issuer or --jwt-secret-file, because then this " +
			"machine's user has no account on the server: save personas with `parley persona save`")
	}
	return nil
}

func addDirectorFlag(c *cobra.Command, director *string, byDefault string) {
	c.Flags().StringVar(director, "director", "", "let players force verdicts with marks such as [[pass]] and read "+
		"the reasons for each turn, as a persona's owner may, `SWITCH`: on or off (default: "+byDefault+")")
}

func addDataFlag(c *cobra.Command, data *string) {
	c.Flags().StringVar(data, "data", "",
		"data `FOLDER` (default: PARLEY_DATA_DIR, else the user's data folder; :memory: stores nothing on disk)")
}

func runLocalserver(ctx context.Context, o *localserverOptions) error {
	options, err := o.serverOptions(ctx)
	if err != nil {
		return err
	}
	tuneCollector()
	server, err := localserver.Start(ctx, options)
	if err != nil {
		return service.ExplainStart("start the local server", err)
	}
	if err := o.sayStarted(server); err != nil {
		return errors.Join(err, server.Close())
	}
	stopWatching, err := o.watchFiles(ctx, server)
	if err != nil {
		return errors.Join(err, server.Close())
	}
	select {
	case <-ctx.Done():
	case <-server.Done():
	}
	stopWatching()
	o.awaitDrain(server)
	return o.stopServer(server)
}

const serverGC = 400

// serverMemory is in bytes. Without this limit, many large documents take more than a gigabyte.
const serverMemory = 512 << 20

// tuneCollector raises GOGC, because a server then answers a quarter more requests.
func tuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(serverGC)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(serverMemory)
	}
}

func (o *localserverOptions) sayStarted(server *localserver.Server) error {
	if _, err := fmt.Fprintln(o.Out, server.URL()); err != nil {
		return err
	}
	o.Say("data     %s", server.Dir())
	if database, err := o.findDatabase(); err == nil && database.Address != "" {
		o.Say("database %s", terminal.Clean(database.String()))
	}
	for _, line := range o.llm.Options(o.Access).DescribeSpeakers() {
		o.Say("model    %s", line)
	}
	if url := server.MetricsURL(); url != "" {
		o.Say("metrics  %s", url)
	}
	o.saySignIn(server)
	for _, rule := range o.requests.faults {
		o.Say("fault    %s", rule)
	}
	for _, path := range o.watched {
		o.Say("watch    %s", terminal.Clean(path))
	}
	if server.Empty() && len(o.watched) == 0 {
		o.saySeed(server)
	}
	o.Say("stop     Ctrl-C")
	return nil
}

func (o *localserverOptions) saySeed(server *localserver.Server) {
	if o.listen == defaultListen {
		o.Say("empty    there are no personas yet: `parley persona save --publish FILE` adds one")
		return
	}
	o.Say("empty    there are no personas yet: `parley persona save --publish FILE --server %s` adds one",
		plaintext.ShellWord(server.URL()))
}

func (o *localserverOptions) saySignIn(server *localserver.Server) {
	switch {
	case o.who.Issuer != "":
		o.Say("token    from %s", o.who.Issuer)
		return
	case o.who.JWTSecretFile != "":
		o.Say("token    signed with the secret in %s", o.who.JWTSecretFile)
		return
	case o.data == "":
		o.Say("sign in  parley commands on this machine are signed in as %s", server.User())
	}
	o.Say("token    parley localserver token%s --user you@example.com", o.dataFlag(server))
}

func (o *localserverOptions) dataFlag(server *localserver.Server) string {
	if o.data == "" {
		return ""
	}
	return " --data " + terminal.Clean(plaintext.ShellFile(server.Dir()))
}

func (o *localserverOptions) sayLimit(category string, perMinute int) {
	o.Say("limit    %d requests a minute (%s) are used up, so callers have to wait: --rate-limit off removes the "+
		"limit, --rate-limit on keeps it without this note", perMinute, category)
}

func (o *localserverOptions) checkWords() error {
	for _, f := range []struct{ flag, word, one, other string }{
		{"chat-auth", o.chatAuth, "optional", "required"},
		{"director", cmp.Or(o.director, "on"), "on", "off"},
		{"durability", o.durability, "full", "normal"},
	} {
		if f.word != f.one && f.word != f.other {
			return cli.UsageError("--%s %q: must be %s or %s", f.flag, f.word, f.one, f.other)
		}
	}
	return nil
}

func (o *localserverOptions) serverOptions(ctx context.Context) (localserver.Options, error) {
	if err := o.llm.Resolve(ctx, o.Access); err != nil {
		return localserver.Options{}, err
	}
	if err := o.llm.Check(o.Access); err != nil {
		return localserver.Options{}, err
	}
	if err := o.checkWords(); err != nil {
		return localserver.Options{}, err
	}
	if o.drainDelay < 0 || o.drainDelay > maxDrainDelay {
		return localserver.Options{},
			cli.UsageError("--drain-delay %s: must be between 0s and %s", o.drainDelay, maxDrainDelay)
	}
	if o.keepDays < 0 || o.keepDays > maxKeepDays {
		return localserver.Options{},
			cli.UsageError("--keep-sessions %d: must be from 1 to %d days, or 0 to keep all", o.keepDays, maxKeepDays)
	}
	database, err := o.findDatabase()
	if err != nil {
		return localserver.Options{}, err
	}
	publicURL, err := o.readPublicURL()
	if err != nil {
		return localserver.Options{}, err
	}
	if err := localserver.CheckPlayURL(o.playURL); err != nil {
		return localserver.Options{}, cli.UsageError("--play-url: %w", err)
	}
	data, err := o.DataFolder(o.data)
	if err != nil {
		return localserver.Options{}, err
	}
	options := localserver.Options{
		Tokens: o.who, Hosts: o.hosts, Listen: o.listen, MetricsListen: o.metricsListen,
		Data: data, Database: database, KeepSessions: time.Duration(o.keepDays) * 24 * time.Hour,
		ChatNeedsToken: o.chatAuth == "required", Director: localserver.Director(o.director),
		PlayURL: o.playURL, PublicURL: publicURL,
		LLM: o.llm.Options(o.Access), Version: cli.VersionText(), Log: o.NewLogger(),
	}
	options.LLM.Prepares = true
	if o.durability == "normal" {
		options.Durability = store.Normal
	}
	if o.limitGiven != nil && !o.limitGiven() {
		options.OnLimit = o.sayLimit
	}
	return options, o.requests.applyTo(&options)
}

func (o *localserverOptions) readPublicURL() (string, error) {
	if o.publicURL == "" {
		return "", nil
	}
	origin, err := api.ParseOrigin(o.publicURL)
	if err != nil {
		return "", cli.UsageError("--public-url %q: must be a scheme and a host without a name or password, such as https://npc.example.com", o.publicURL)
	}
	return origin, nil
}

const databaseHelp = "database `ADDRESS`: sqlite:PATH or postgres://USER@HOST/NAME (default: PARLEY_DATABASE, else a file in the data folder)"

// startTimeout is shorter than the timeouts of systemd and container runtimes.
const startTimeout = time.Minute

func (o *localserverOptions) findDatabase() (localserver.Database, error) {
	d, _, err := o.FindDatabase(o.database, !o.temporary)
	d.Patience = startTimeout
	return d, err
}

type requestFlags struct {
	rateLimit string
	proxies   []string
	origins   []string
	faults    []string
}

func (f *requestFlags) addRequestFlags(c *cobra.Command) {
	c.Flags().StringVar(&f.rateLimit, "rate-limit", "on", "rate limits, `SWITCH`: on or off")
	c.Flags().StringArrayVar(&f.proxies, "trusted-proxy", nil,
		"trust X-Forwarded-For from proxies in this `NETWORK`, such as 10.0.0.0/8 (repeatable)")
	c.Flags().StringArrayVar(&f.origins, "cors-origin", nil,
		"allow pages of this web `ORIGIN`, such as https://game.example (repeatable)")
	c.Flags().StringArrayVar(&f.faults, "fault", nil, "make requests fail on purpose by `RULE` (repeatable)")
}

const faultHelp = `--fault makes requests fail on purpose, to test games and clients. A rule has
members: status and latency define what happens; rate (a share from 0 to 1, chosen
by seed), every (each Nth) and path (segments such as /message) select requests;
retry-after is for 429 and 503. Nothing of such a request is kept.`

func (f *requestFlags) applyTo(o *localserver.Options) error {
	if f.rateLimit != "on" && f.rateLimit != "off" {
		return cli.UsageError("--rate-limit %q: must be on or off", f.rateLimit)
	}
	o.RateLimit = f.rateLimit == "on"
	var err error
	if o.TrustedProxies, err = readEach("--trusted-proxy", f.proxies, identity.ParseNetwork); err != nil {
		return err
	}
	if o.CORSOrigins, err = readEach("--cors-origin", f.origins, api.ParseOrigin); err != nil {
		return err
	}
	o.Faults, err = readEach("--fault", f.faults, api.ParseFault)
	return err
}

func readEach[T any](flag string, texts []string, read func(string) (T, error)) ([]T, error) {
	var values []T
	for _, text := range texts {
		value, err := read(strings.TrimSpace(text))
		if err != nil {
			return nil, cli.UsageError("%s: %w", flag, err)
		}
		values = append(values, value)
	}
	return values, nil
}

const shutdownTimeout = 30 * time.Second

const maxKeepDays = 36_500

const maxDrainDelay = 5 * time.Minute

func (o *localserverOptions) awaitDrain(server *localserver.Server) {
	if o.drainDelay == 0 {
		return
	}
	server.Leave()
	o.Say("stopping in %s: /readyz answers 503 until then", o.drainDelay)
	select {
	case <-time.After(o.drainDelay):
	case <-server.Done():
	}
}

// stopServer needs its own timeout, because the context of the command is cancelled.
func (o *localserverOptions) stopServer(server *localserver.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	o.Say("stopping")
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		o.Say("stopped: calls that took longer than %s were ended with an error", shutdownTimeout)
		err = nil
	}
	if err = errors.Join(server.Err(), err); err != nil {
		return cli.WrapTrouble(fmt.Errorf("stop the local server: %w", err), "")
	}
	return nil
}

// A FileWatcher saves persona files at the start and after each change, until stop is called.
type FileWatcher func(ctx context.Context, access *service.Access, watch service.FileWatch) (stop func())

func (o *localserverOptions) watchFiles(ctx context.Context, server *localserver.Server) (stop func(), err error) {
	if len(o.watched) == 0 {
		return func() {}, nil
	}
	c, err := o.NewClient(server.URL(), func(context.Context) (string, error) {
		return server.Token(), nil
	}, service.OwnTurnTimeout(server))
	if err != nil {
		return nil, err
	}
	s := &service.Service{Client: c, Address: server.URL(), Sessions: settings.NewMemorySessions()}
	watch := service.FileWatch{
		Service: s, Paths: o.watched, Temporary: o.data == datafolder.Memory || takesAnyPort(o.listen),
		Conversations: server.OpenConversations,
	}
	if o.llm.IsBuiltIn() {
		watch.Judge = playtest.BuiltInJudge()
	}
	return o.watch(ctx, o.Access, watch), nil
}

func takesAnyPort(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && (port == "0" || port == "")
}

package localservercmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type execOptions struct {
	*service.Access
	server  localserverOptions // flags that a temporary server shares with a permanent one
	seeds   []string
	keep    bool
	passed  []string
	command []string
	signals chan os.Signal
}

const execLong = `Run one command with a temporary local server: on a free port, with its own data,
without rate limits unless you enable them. Personas named with --seed are checked,
saved and published first. stdin, stdout and stderr belong to the command; the
server's log is in the data directory.

The command's environment contains

  PARLEY_SERVER            the server's address
  PARLEY_TOKEN             a bearer token of the user who owns the seeds
  PARLEY_API_KEY           an API key of that user, for the game SDK
  PARLEY_PERSONA           the id of the first seed, PARLEY_PLAY_LINK its play link
  PARLEY_PERSONA_MY_CAT    the id of the seed my-cat.yaml, PARLEY_PLAY_LINK_MY_CAT its
                           play link, and so on for each seed
  PARLEY_DATA_DIR, PARLEY_STATE_DIR
                           folders of this server, so that parley commands in it leave
                           your own data and sessions alone

but not PARLEY_PROFILE. It contains no key of a model provider, unless --pass-env
names its variable or the command brings the models itself (--llm callers). Save
personas in it with --no-lock, or parley.lock will name a server that is gone.

The exit code is the command's, 128 plus the number of a signal that ended it, 127
if it is not found, 126 if it cannot be run, and 3 if the server failed. Signals are
passed on. Afterwards the data is removed, unless the command failed and --keep was
given.`

func newExecCmd(access *service.Access) *cobra.Command {
	o := &execOptions{Access: access, server: localserverOptions{Access: access, temporary: true}}
	c := &cobra.Command{
		Use:   "exec [flags] -- CMD [ARG...]",
		Short: "Run one command with a temporary local server",
		Long:  execLong,
		Example: `  parley localserver exec --seed personas/ -- npm test
  parley localserver exec --seed my-cat.yaml -- sh -c 'parley say "$PARLEY_PERSONA" "Hello"'
  parley localserver exec --keep --fault status=503,rate=0.1 -- go test ./...`,
		Args: cli.MinArgs("CMD"),
		RunE: func(c *cobra.Command, args []string) error {
			o.command = args
			return runExec(c.Context(), o)
		},
	}
	f := c.Flags()
	f.SetInterspersed(false) // flags after the command belong to the command
	f.StringArrayVar(&o.seeds, "seed", nil, "save and publish these personas first, `FILE`, folder or glob (repeatable)")
	f.BoolVar(&o.keep, "keep", false, "keep data and log if the command fails, and print their path")
	f.StringArrayVar(&o.passed, "pass-env", nil,
		"pass the secret variable `NAME` of your environment to the command (repeatable)")
	o.server.llm.AddFlags(c)
	f.StringVar(&o.server.chatAuth, "chat-auth", "optional",
		"whether a web chat needs a token, `MODE`: optional or required")
	addDirectorFlag(c, &o.server.director, "on")
	o.server.requests.addRequestFlags(c)
	limit := f.Lookup("rate-limit")
	limit.DefValue = "off"
	o.server.requests.rateLimit = "off"
	return c
}

func runExec(ctx context.Context, o *execOptions) error {
	seeds, err := personafiles.ReadSeeds(ctx, o.Streams, o.seeds)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "parley-exec-*")
	if err != nil {
		return cli.WrapTrouble(fmt.Errorf("make a folder for the server's data: %w", err),
			"set TMPDIR to a folder where temporary folders can be created")
	}
	o.signals = make(chan os.Signal, 8)
	signal.Notify(o.signals, cli.EndingSignals()...)
	defer signal.Stop(o.signals)
	err = o.runServer(ctx, dir, seeds)
	if err != nil && o.keep {
		o.Say("data and log are kept in %s", dir)
		return err
	}
	if gone := os.RemoveAll(dir); gone != nil {
		o.Say("%s could not be removed: %v", dir, cli.PathReason(gone))
	}
	return err
}

func (o *execOptions) runServer(ctx context.Context, dir string, seeds []personafiles.Document) (err error) {
	log, err := os.OpenFile(filepath.Join(dir, "server.log"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return cli.WrapTrouble(err, "")
	}
	defer func() { _ = log.Close() }()
	server, err := o.startServer(ctx, dir, log)
	if err != nil {
		return err
	}
	t := &service.OwnServer{Server: server}
	defer t.Stop()
	c, err := o.NewClient(server.URL(), func(context.Context) (string, error) {
		return server.Token(), nil
	}, service.OwnTurnTimeout(server))
	if err != nil {
		return err
	}
	t.Service = &service.Service{Client: c, Address: server.URL(), Sessions: settings.NewMemorySessions(), ThrowAway: true}
	variables, err := o.prepareSeeds(ctx, t, seeds)
	if err != nil {
		return err
	}
	err = o.runCommand(append(o.inheritedEnvironment(), variables...))
	if failed := server.Err(); failed != nil {
		return cli.WrapTrouble(fmt.Errorf("the server failed while the command ran: %w", failed),
			"use --keep to keep the server's log")
	}
	return err
}

func (o *execOptions) startServer(ctx context.Context, dir string, log io.Writer) (*localserver.Server, error) {
	o.server.durability = "normal"
	o.server.listen, o.server.data = "127.0.0.1:0", filepath.Join(dir, "data")
	o.server.director = cmp.Or(o.server.director, string(localserver.DirectorOn))
	options, err := o.server.serverOptions(ctx)
	if err != nil {
		return nil, err
	}
	options.Log = slog.New(slog.NewJSONHandler(log, nil))
	server, err := localserver.Start(ctx, options)
	if err != nil {
		return nil, service.ExplainStart("start a temporary server", err)
	}
	return server, nil
}

func (o *execOptions) prepareSeeds(ctx context.Context, own *service.OwnServer,
	seeds []personafiles.Document) ([]string, error) {
	key, err := own.CreateKey(ctx, wire.NewKey{Name: "localserver exec"})
	if err != nil {
		return nil, fmt.Errorf("make an API key: %w", err)
	}
	variables := []string{
		"PARLEY_SERVER=" + own.Address, "PARLEY_TOKEN=" + own.Server.Token(), "PARLEY_API_KEY=" + key.Key,
		"PARLEY_DATA_DIR=" + own.Server.Dir(),
		"PARLEY_STATE_DIR=" + filepath.Join(filepath.Dir(own.Server.Dir()), "state"),
	}
	named := map[string]bool{}
	for i, s := range seeds {
		saved, _, err := own.SavePersona(ctx, "", s.Doc, "")
		if err != nil {
			return nil, fmt.Errorf("save %s: %w", s.Name, err)
		}
		published, err := own.PublishPersona(ctx, saved.ID)
		if err != nil {
			return nil, fmt.Errorf("publish %s: %w", s.Name, err)
		}
		for _, end := range seedEnds(i, s.Name, named) {
			variables = append(variables, "PARLEY_PERSONA"+end+"="+saved.ID, "PARLEY_PLAY_LINK"+end+"="+published.PlayLink)
		}
	}
	return variables, nil
}

// seedEnds returns suffixes of variables, such as "_MY_CAT" for my-cat.yaml. The first file also
// has "".
func seedEnds(i int, file string, named map[string]bool) []string {
	var ends []string
	if i == 0 {
		ends = append(ends, "")
	}
	base := filepath.Base(file)
	end := "_" + strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(strings.TrimSuffix(base, filepath.Ext(base))))
	if !named[end] {
		named[end] = true
		ends = append(ends, end)
	}
	return ends
}

// inheritedEnvironment omits PARLEY_PROFILE, because a profile could select another server.
func (o *execOptions) inheritedEnvironment() []string {
	own := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PARLEY_PROFILE=") })
	passed := o.passed
	if o.server.llm.Model == models.ModelCallers {
		passed = append(service.HiddenVariables(), passed...)
	}
	return append(own, service.SecretsFor(o.Streams, passed)...)
}

func (o *execOptions) runCommand(environment []string) error {
	p := exec.Command(o.command[0], o.command[1:]...) //nolint:noctx,gosec // the user's own command, ended by signals
	p.Env = environment
	p.Stdin, p.Stdout, p.Stderr = o.In, o.Out.Writer, cli.RawWriter(o.Err)
	if err := p.Start(); err != nil {
		return explainStart(o.command[0], err)
	}
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	for n := 1; ; n++ {
		select {
		case s := <-o.signals:
			o.passSignal(p.Process, s, n)
		case err := <-ended:
			return explainExit(o.command[0], err)
		}
	}
}

// passSignal skips Ctrl-C on a terminal, because the command receives that signal directly.
func (o *execOptions) passSignal(process *os.Process, received os.Signal, count int) {
	switch onTerminal := o.TTY.In || o.TTY.Out || o.TTY.Err; {
	case count >= 3:
		_ = process.Kill()
	case received == os.Interrupt && onTerminal:
	default:
		_ = process.Signal(received)
	}
}

const (
	exitNotRunnable = 126
	exitNotFound    = 127
	exitSignalled   = 128
)

func explainStart(name string, err error) error {
	f := &cli.Failure{Code: exitNotRunnable,
		Err: fmt.Errorf("%s cannot be run: %w", terminal.Clean(name), cli.PathReason(err))}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		f.Code, f.Err = exitNotFound, fmt.Errorf("%s: command not found", terminal.Clean(name))
	}
	return f
}

func explainExit(name string, err error) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return nil
	case !ok:
		return cli.WrapTrouble(fmt.Errorf("%s: %w", terminal.Clean(name), err), "")
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return &cli.ChildExit{Code: exitSignalled + int(status.Signal())}
	}
	return &cli.ChildExit{Code: exit.ExitCode()}
}

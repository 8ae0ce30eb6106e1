// Package service connects a command line to a service. The package selects the service, its token,
// personas and sessions, and starts temporary servers. Errors become exit codes with hints. Secrets
// are never sent over unprotected connections or to a server that only a project's file names.
package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/tui/terminal"
)

// An Environment holds the sources of settings.
type Environment struct {
	*cli.Streams
	Server  string
	Profile string
}

// An Access connects to the user's service with a token.
type Access struct {
	*Environment
	NewID        func() string
	noServerLog  bool
	Ring         settings.Keyring
	InsecureHTTP bool
}

// NewAccess returns the access of a process with the given streams. No file is read.
func NewAccess(in, out, errOut *os.File) *Access {
	return &Access{Environment: &Environment{Streams: cli.NewStreams(in, out, errOut)}, NewID: NewID}
}

// NewID returns a version 7 UUID. The ids sort by time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Dirs returns the directories of settings, data and state.
func (e *Environment) Dirs() settings.Dirs {
	return settings.Dirs{OS: runtime.GOOS, Lookup: e.Lookup}
}

// Settings reads the settings. A missing profile is an error with ExitUsage.
func (e *Environment) Settings() (*settings.Settings, error) { return e.LoadSettings(false) }

// A Service is a client for the service at an address.
type Service struct {
	*client.Client
	Address  string
	Sessions *settings.Sessions
	// ThrowAway is true for a server that stores nothing and stops with the command.
	ThrowAway bool
}

// Connect returns the service that the settings select. No request is sent.
func (a *Access) Connect() (*Service, error) {
	current, err := a.Settings()
	if err != nil {
		return nil, err
	}
	// Only PARLEY_TOKEN needs GuardSecret. Tokens of sign-ins are stored per address.
	if strings.TrimSpace(a.Env("PARLEY_TOKEN")) != "" {
		if err := GuardSecret(current, "PARLEY_TOKEN"); err != nil {
			return nil, err
		}
	}
	address := strings.TrimRight(current.Get(settings.Server).Value, "/")
	timeout, err := ReadTimeout(current)
	if err != nil {
		return nil, err
	}
	bearer := a.NewBearer(address)
	c, err := a.newClientWith(client.Options{
		BaseURL: address, TokenSource: bearer.SendableToken, Renew: bearer.renewRefused,
		Timeout: timeout, ModelTimeout: timeout,
	})
	if err != nil {
		return nil, cli.UsageError("server address from %s: %w", current.Get(settings.Server).Origin, err)
	}
	sessions := settings.NewMemorySessions()
	if dir, err := a.Dirs().State(); err == nil {
		sessions = settings.OpenSessions(dir)
	}
	return &Service{Client: c, Address: address, Sessions: sessions}, nil
}

// ReadTimeout returns the timeout for one attempt of a request, or 0 for the client's default.
func ReadTimeout(s *settings.Settings) (time.Duration, error) {
	set := s.Get(settings.Timeout)
	if set.Value == "" {
		return 0, nil
	}
	timeout, err := time.ParseDuration(set.Value)
	if err != nil || timeout <= 0 {
		return 0, cli.UsageError("timeout %q from %s: must be a time such as 30s", set.Value, set.Origin)
	}
	return timeout, nil
}

// NewClient returns a client for an address. A turnTimeout of 0 is the client's default.
func (a *Access) NewClient(
	address string, token func(context.Context) (string, error), turnTimeout time.Duration,
) (*client.Client, error) {
	return a.newClientWith(client.Options{BaseURL: address, TokenSource: token, ModelTimeout: turnTimeout})
}

func (a *Access) newClientWith(o client.Options) (*client.Client, error) {
	if u, err := url.Parse(o.BaseURL); err == nil && u.User != nil {
		// Shell histories and lists of processes would show the password.
		return nil, errors.New("the address contains a user name or a password: " +
			"remove it, and sign in with `parley auth login` or set PARLEY_TOKEN")
	}
	o.Version, o.OnRetry = cli.VersionText(), a.SayRetry
	return client.New(o)
}

// UsualPlayer is the default name of a player.
const UsualPlayer = "Traveller"

// PlayerName returns the name in the settings, or else of the user account, or UsualPlayer.
func (e *Environment) PlayerName(s *settings.Settings) string {
	if name := s.Get(settings.PlayerName).Value; name != "" {
		return name
	}
	if u, err := user.Current(); err == nil && e.TTY.In && e.Env("CI") == "" {
		return nameAccount(u)
	}
	return UsualPlayer
}

func nameAccount(u *user.User) string {
	name := filepath.Base(strings.ReplaceAll(u.Username, `\`, "/"))
	system := []string{"", ".", "/", "root", "nobody", "daemon", "system", "administrator"}
	if u.Uid == "0" || slices.Contains(system, strings.ToLower(name)) {
		return UsualPlayer
	}
	if words := strings.Fields(u.Name); len(words) > 0 {
		return words[0]
	}
	return name
}

// DataFolder returns the directory of --data, or the default directory of a local server.
func (e *Environment) DataFolder(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	return e.Dirs().Data()
}

func (a *Access) readSignInToken(dir, address string) (string, error) {
	signIn, err := identity.ReadSignIn(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case signIn.Address != address || a.Now().After(signIn.ExpiresAt):
		return "", nil
	}
	return signIn.Token, nil
}

// LockMarks returns the directory of the files that lock parley.lock.
func (e *Environment) LockMarks() string {
	return cmp.Or(e.stateFolder("locks"), filepath.Join(os.TempDir(), fmt.Sprintf("parley-%d", os.Getuid()), "locks"))
}

// OwnLocks returns the directory for the files of personafiles.OwnEntries, or "" if this machine
// cannot store them.
func (e *Environment) OwnLocks() string { return e.stateFolder("locks") }

// SavedContents returns the directory for the files of personafiles.SavedContents, or "".
func (e *Environment) SavedContents() string { return e.stateFolder("contents") }

func (e *Environment) stateFolder(name string) string {
	dir, err := e.Dirs().State()
	if folder := filepath.Join(dir, name); err == nil && CheckWritable(folder) == nil {
		return folder
	}
	return ""
}

// CheckWritable creates a directory and checks that files can be created inside.
func CheckWritable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

const longWait = 5 * time.Second

// SayRetry prints the reason and delay of a retry. A short delay is printed only on a terminal.
func (a *Access) SayRetry(r client.Retry) {
	if a.FullScreen || !a.TTY.Err && r.Wait < longWait {
		return
	}
	wait := r.Wait.Round(100 * time.Millisecond)
	a.Say("%s", a.Style.Faint(fmt.Sprintf("%s; trying again in %s", terminal.Clean(r.Reason), wait)))
}

// Execute runs one command line, reports a failure on stderr, and returns the exit code.
func Execute(ctx context.Context, a *Access, root *cobra.Command, args []string) int {
	a.Interrupted = ctx.Done()
	root.SetArgs(args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	chosen, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = a.CheckOutput()
	}
	if err == nil {
		return cli.ExitDone
	}
	f := a.Explain(ctx, err)
	a.ReportFailure(chosen, f)
	return f.Code
}

// AddGlobalFlags adds the flags of all commands to the root command.
func AddGlobalFlags(c *cobra.Command, a *Access) {
	f := c.PersistentFlags()
	f.StringVar(&a.Server, "server", "",
		"`ADDRESS` of the service (else PARLEY_SERVER, the settings file, http://127.0.0.1:8787)")
	f.StringVar(&a.Profile, "profile", "",
		"settings of the profile `NAME` (else PARLEY_PROFILE, the settings file; see `parley profile list`)")
	_ = c.RegisterFlagCompletionFunc("profile", a.CompleteProfileFlag)
	f.BoolVarP(&a.Quiet, "quiet", "q", false, "print only errors on stderr")
	f.BoolVar(&a.NoColor, "no-color", false, "no colour (also NO_COLOR, CLICOLOR=0, TERM=dumb)")
	f.BoolVar(&a.InsecureHTTP, "insecure-http", false,
		"allow tokens over plain http to other machines, where others can read them")
}

// A FileWatch uploads local persona files to a service whenever the files change.
type FileWatch struct {
	*Service
	Paths []string
	// Temporary is true for a server without a permanent address. parley.lock stays unchanged.
	Temporary bool
	// Conversations returns the open conversations with a persona. nil means none.
	Conversations func(ctx context.Context, personaID, ownerID string) ([]playtest.Conversation, error)
	// Judge judges messages again. If Judge is nil, messages keep their decisions.
	Judge playtest.Judge
}

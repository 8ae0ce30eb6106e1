// Package service connects a command line to a service. It selects the service, its token, personas
// and sessions, and starts temporary servers. It converts errors to exit codes with hints. It never
// prints results, and sends no secret over unprotected connections or to a server that only a
// project's file specifies.
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

// An Environment holds the sources of settings, which are the environment variables of Streams and
// two flags.
type Environment struct {
	*cli.Streams
	Server  string // --server
	Profile string // --profile
}

// An Access opens the user's service with its token. Creating an Access opens and reads nothing.
type Access struct {
	*Environment
	NewID        func() string
	noServerLog  bool             // the server is temporary and writes no log
	Ring         settings.Keyring // the system's keyring, or one of a test
	InsecureHTTP bool             // --insecure-http
}

// NewAccess returns the access of a process with the given streams.
func NewAccess(in, out, errOut *os.File) *Access {
	return &Access{Environment: &Environment{Streams: cli.NewStreams(in, out, errOut)}, NewID: NewID}
}

// NewID returns a version 7 UUID, which sorts by time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Dirs returns the directories of settings, data and state.
func (e *Environment) Dirs() settings.Dirs {
	return settings.Dirs{OS: runtime.GOOS, Lookup: e.Lookup}
}

// Settings reads the settings. A missing profile is an error with ExitUsage.
func (e *Environment) Settings() (*settings.Settings, error) { return e.LoadSettings(false) }

// A Service is a service with its client and address.
type Service struct {
	*client.Client
	Address  string
	Sessions *settings.Sessions // sessions on this service that this machine remembers
	// ThrowAway is set for a server that stores nothing and stops with this command.
	ThrowAway bool
}

// Connect returns the service that the settings select, without sending a request.
func (a *Access) Connect() (*Service, error) {
	s, err := a.Settings()
	if err != nil {
		return nil, err
	}
	// Only PARLEY_TOKEN needs GuardSecret. A sign-in's token is stored for one address and is sent
	// to no other.
	if strings.TrimSpace(a.Env("PARLEY_TOKEN")) != "" {
		if err := GuardSecret(s, "PARLEY_TOKEN"); err != nil {
			return nil, err
		}
	}
	address := strings.TrimRight(s.Get(settings.Server).Value, "/")
	timeout, err := ReadTimeout(s)
	if err != nil {
		return nil, err
	}
	bearer := a.NewBearer(address)
	c, err := a.newClientWith(client.Options{BaseURL: address, TokenSource: bearer.SendableToken, Renew: bearer.renewRefused, Timeout: timeout, ModelTimeout: timeout})
	if err != nil {
		return nil, cli.UsageError("server address from %s: %w", s.Get(settings.Server).Origin, err)
	}
	sessions := settings.NewMemorySessions()
	if dir, err := a.Dirs().State(); err == nil {
		sessions = settings.OpenSessions(dir)
	}
	return &Service{Client: c, Address: address, Sessions: sessions}, nil
}

// ReadTimeout returns the timeout for one attempt of a call, or 0 for the client's default.
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
func (a *Access) NewClient(address string, token func(context.Context) (string, error), turnTimeout time.Duration) (*client.Client, error) {
	return a.newClientWith(client.Options{BaseURL: address, TokenSource: token, ModelTimeout: turnTimeout})
}

func (a *Access) newClientWith(o client.Options) (*client.Client, error) {
	if u, err := url.Parse(o.BaseURL); err == nil && u.User != nil {
		// Shell histories and lists of processes would show the password.
		return nil, errors.New("the address contains a user name or a password: remove it, and sign in with `parley auth login` or set PARLEY_TOKEN")
	}
	o.Version, o.OnRetry = cli.VersionText(), a.SayRetry
	return client.New(o)
}

// UsualPlayer is the name of a player about whom nothing is known.
const UsualPlayer = "Traveller"

// PlayerName returns the name from the settings. Without one, it returns the name of the
// system's user account on a terminal, and UsualPlayer elsewhere.
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
	if u.Uid == "0" || slices.Contains([]string{"", ".", "/", "root", "nobody", "daemon", "system", "administrator"}, strings.ToLower(name)) {
		return UsualPlayer
	}
	if words := strings.Fields(u.Name); len(words) > 0 {
		return words[0]
	}
	return name
}

// DataFolder returns the directory of --data, or the default directory for a local server's data.
func (e *Environment) DataFolder(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	return e.Dirs().Data()
}

func (a *Access) readSignInToken(dir, address string) (string, error) {
	in, err := identity.ReadSignIn(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case in.Address != address || a.Now().After(in.ExpiresAt):
		return "", nil
	}
	return in.Token, nil
}

// LockMarks returns the directory of the files that mark a parley.lock as held. It is below the
// system's temporary directory if the state directory is read-only.
func (e *Environment) LockMarks() string {
	return cmp.Or(e.stateFolder("locks"), filepath.Join(os.TempDir(), fmt.Sprintf("parley-%d", os.Getuid()), "locks"))
}

// OwnLocks returns the directory that records this machine's own parley.lock entries, or "".
func (e *Environment) OwnLocks() string { return e.stateFolder("locks") }

// SavedContents returns the directory with the content of files that this machine saved, or "".
func (e *Environment) SavedContents() string { return e.stateFolder("contents") }

func (e *Environment) stateFolder(name string) string {
	dir, err := e.Dirs().State()
	if folder := filepath.Join(dir, name); err == nil && CheckWritable(folder) == nil {
		return folder
	}
	return ""
}

// CheckWritable creates a directory. It returns an error if no file can be created in it.
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

// longWait is the minimum duration of a wait that is reported if stderr is not a terminal.
const longWait = 5 * time.Second

// SayRetry prints why and when a call is retried. If stderr is not a terminal, it prints only waits
// of at least longWait.
func (a *Access) SayRetry(r client.Retry) {
	if (a.TTY.Err || r.Wait >= longWait) && !a.FullScreen {
		a.Say("%s", a.Style.Faint(fmt.Sprintf("%s; trying again in %s", terminal.Clean(r.Reason), r.Wait.Round(100*time.Millisecond))))
	}
}

// Execute runs one command line, prints a failure on stderr, and returns the exit code.
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

// AddGlobalFlags adds the flags of all commands to the root.
func AddGlobalFlags(c *cobra.Command, a *Access) {
	f := c.PersistentFlags()
	f.StringVar(&a.Server, "server", "", "`ADDRESS` of the service (else PARLEY_SERVER, the settings file, http://127.0.0.1:8787)")
	f.StringVar(&a.Profile, "profile", "", "settings of the profile `NAME` (else PARLEY_PROFILE, the settings file; see `parley profile list`)")
	_ = c.RegisterFlagCompletionFunc("profile", a.CompleteProfileFlag) // the flag exists
	f.BoolVarP(&a.Quiet, "quiet", "q", false, "print only errors on stderr")
	f.BoolVar(&a.NoColor, "no-color", false, "no colour (also NO_COLOR, CLICOLOR=0, TERM=dumb)")
	f.BoolVar(&a.InsecureHTTP, "insecure-http", false, "allow tokens over plain http to other machines, where others can read them")
}

// A FileWatch selects local persona files, which are uploaded to a service whenever they change.
type FileWatch struct {
	*Service
	Paths []string
	// Temporary servers lose their address or data when they stop, so parley.lock is not written.
	Temporary bool
	// Conversations returns a persona's open conversations. If it is nil, none are compared.
	Conversations func(ctx context.Context, personaID, ownerID string) ([]playtest.Conversation, error)
	// Judge judges the conversations' messages again. If Judge is nil, each message keeps its
	// decision.
	Judge playtest.Judge
}

package service

import (
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

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/tui/terminal"
)

// Environment is the source of the settings: the streams with the environment variables, and the
// flags that name a server and a profile.
type Environment struct {
	*cli.Streams
	Server  string // --server
	Profile string // --profile
}

// Access is the way to a service: its address, its caller, and the place of secrets. Creating one
// opens and reads nothing; its methods do.
type Access struct {
	*Environment
	NewID        func() string
	noServerLog  bool             // the server is a throw-away one, which writes no log
	Ring         settings.Keyring // where the system keeps secrets; nil is the real one
	InsecureHTTP bool             // --insecure-http
}

// NewAccess makes the access of a process from its three streams.
func NewAccess(in, out, errOut *os.File) *Access {
	return &Access{Environment: &Environment{Streams: cli.NewStreams(in, out, errOut)}, NewID: NewID}
}

// NewID makes a UUID of version 7, which sorts by time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Dirs returns the folders of the settings, the data and the state.
func (e *Environment) Dirs() settings.Dirs {
	return settings.Dirs{OS: runtime.GOOS, Lookup: e.Lookup}
}

// Settings reads the settings; a profile that is not there is an error (ExitUsage).
func (e *Environment) Settings() (*settings.Settings, error) { return e.LoadSettings(false) }

// Service is a service with its client and address.
type Service struct {
	*client.Client
	Address  string
	Sessions SessionMemory // the sessions that this machine remembers of it
	// ThrowAway means that the server ends with this command and keeps nothing.
	ThrowAway bool
}

// Connect returns the service that the settings name, without a request to it. Settings or
// an address that cannot be used are errors with ExitUsage.
func (a *Access) Connect() (*Service, error) {
	s, err := a.Settings()
	if err != nil {
		return nil, err
	}
	if err := a.guardToken(s); err != nil {
		return nil, err
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
	return &Service{Client: c, Address: address, Sessions: a.openSessionMemory()}, nil
}

// openSessionMemory returns the memory on disk, or one that lasts as long as the process if there
// is no directory for it.
func (e *Environment) openSessionMemory() SessionMemory {
	dir, err := e.Dirs().State()
	if err != nil {
		return NewProcessMemory()
	}
	return settings.OpenSessions(dir)
}

// ReadTimeout returns how long one attempt of a call may take, as the settings say; 0 leaves
// it to the client. A time that cannot be read is a usage error.
func ReadTimeout(s *settings.Settings) (time.Duration, error) {
	set := s.Get(settings.Timeout)
	if set.Value == "" {
		return 0, nil
	}
	timeout, err := time.ParseDuration(set.Value)
	if err != nil || timeout <= 0 {
		return 0, cli.UsageError("timeout %q from %s: it takes a time such as 30s", set.Value, set.Origin)
	}
	return timeout, nil
}

// NewClient returns a client for an address with a source of its tokens. A model gets turnTimeout
// for one turn, or the client's default if turnTimeout is 0.
func (a *Access) NewClient(address string, token func(context.Context) (string, error), turnTimeout time.Duration) (*client.Client, error) {
	return a.newClientWith(client.Options{BaseURL: address, TokenSource: token, ModelTimeout: turnTimeout})
}

func (a *Access) newClientWith(o client.Options) (*client.Client, error) {
	if u, err := url.Parse(o.BaseURL); err == nil && u.User != nil {
		return nil, errUserInAddress
	}
	o.Version, o.OnRetry = cli.VersionText(), a.SayRetry
	return client.New(o)
}

// errUserInAddress refuses an address with user info: it would be in shell histories and
// lists of processes, and Parley signs in otherwise. It does not repeat the address.
var errUserInAddress = errors.New("the address has a name or a password in it: sign in with `parley auth login`, or set PARLEY_TOKEN")

// UsualPlayer is the name of a player of whom nothing is known.
const UsualPlayer = "Traveller"

// PlayerName returns the name of a player who gave none: the one in the settings, else at a
// terminal the first name of the account on this machine, else UsualPlayer. System accounts such as
// root, and those of pipelines, do not count.
func (e *Environment) PlayerName(s *settings.Settings) string {
	if name := s.Get(settings.PlayerName).Value; name != "" {
		return name
	}
	if u, err := user.Current(); err == nil && e.TTY.In && e.Env("CI") == "" {
		return nameAccount(u)
	}
	return UsualPlayer
}

// nameAccount returns the first name of an account's owner, else the account's own name. It returns
// "" for a system account.
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

// DataFolder returns the folder of --data, else the one for a local server's data.
func (e *Environment) DataFolder(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	return e.Dirs().Data()
}

// readSignInToken returns the token that a running server has left for this machine's user. It
// returns "" if the token is missing, expired or for another address.
func (a *Access) readSignInToken(dir, address string) (string, error) {
	in, err := localserver.ReadSignIn(dir)
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

// LockMarks returns the directory of the files that mark a parley.lock as in use: in the state
// directory or, if that is read-only, among this user's temporary files.
func (e *Environment) LockMarks() string {
	if dir, err := e.Dirs().State(); err == nil {
		marks := filepath.Join(dir, "locks")
		if isWritable(marks) {
			return marks
		}
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("parley-%d", os.Getuid()), "locks")
}

// OwnLocks returns the directory that records this machine's own entries in parley.lock files, or
// "" if its user cannot have a private one.
func (e *Environment) OwnLocks() string {
	dir, err := e.Dirs().State()
	if own := filepath.Join(dir, "locks"); err == nil && isWritable(own) {
		return own
	}
	return ""
}

// SavedContents returns the directory with the content of files as this machine saved them, or ""
// if its user cannot have a private one.
func (e *Environment) SavedContents() string {
	dir, err := e.Dirs().State()
	if folder := filepath.Join(dir, "contents"); err == nil && isWritable(folder) {
		return folder
	}
	return ""
}

func isWritable(dir string) bool { return CheckWritable(dir) == nil }

// CheckWritable returns an error if files cannot be created in a directory. It creates the directory
// if needed.
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

// longWait is the shortest wait that is reported even if stderr is not a terminal.
const longWait = 5 * time.Second

// SayRetry reports a retry and its time: every wait on a terminal, elsewhere only waits long enough
// to look like a hang.
func (a *Access) SayRetry(r client.Retry) {
	if (a.TTY.Err || r.Wait >= longWait) && !a.FullScreen {
		a.Say("%s", a.Style.Faint(fmt.Sprintf("%s; trying again in %s", terminal.Clean(r.Reason), r.Wait.Round(100*time.Millisecond))))
	}
}

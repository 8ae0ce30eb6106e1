package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/tui/terminal"
)

// Environment is what the settings are read from: the streams' surroundings, and the
// flags that name a server and a profile.
type Environment struct {
	*cli.Streams
	Server  string // --server
	Profile string // --profile
}

// Access is the way to a service: which one it is, as whom it is called, and where
// secrets are kept. What costs is a method, paid when it is called.
type Access struct {
	*Environment
	NewID        func() string
	logless      bool           // the server is a throw-away one, which writes no log
	Ring         config.Keyring // where the system keeps secrets; nil is the real one
	InsecureHTTP bool           // --insecure-http
}

func NewApp(in, out, errOut *os.File) *Access {
	return &Access{Environment: &Environment{Streams: cli.NewStreams(in, out, errOut)}, NewID: NewID}
}

func NewID() string { return uuid.Must(uuid.NewV7()).String() }

func (a *Environment) Dirs() config.Dirs {
	return config.Dirs{OS: runtime.GOOS, Lookup: a.Lookup}
}

func (a *Environment) Settings() (*config.Settings, error) { return a.LoadSettings(false) }

// Service is a server and our way to it.
type Service struct {
	*client.Client
	Address  string
	Sessions SessionMemory
	// ThrowAway says that the server goes with this command.
	ThrowAway bool
}

// Connect gives the service that the settings name. It opens no connection yet.
func (a *Access) Connect() (*Service, error) {
	s, err := a.Settings()
	if err != nil {
		return nil, err
	}
	if err := a.guardToken(s); err != nil {
		return nil, err
	}
	address := strings.TrimRight(s.Get(config.Server).Value, "/")
	timeout, err := ReadTimeout(s)
	if err != nil {
		return nil, err
	}
	who := a.NewBearer(address)
	c, err := a.newClientWith(client.Options{BaseURL: address, TokenSource: who.SendableToken, Renew: who.renewRefused, Timeout: timeout, ModelTimeout: timeout})
	if err != nil {
		return nil, cli.UsageError("server address from %s: %w", s.Get(config.Server).Origin, err)
	}
	return &Service{Client: c, Address: address, Sessions: a.openMemory()}, nil
}

// openMemory is on disk where there is a folder for it, else nowhere.
func (a *Environment) openMemory() SessionMemory {
	dir, err := a.Dirs().State()
	if err != nil {
		return NewProcessMemory()
	}
	return config.OpenSessions(dir)
}

// ReadTimeout is how long one attempt of a call may take; 0 is the client's own
// measure.
func ReadTimeout(s *config.Settings) (time.Duration, error) {
	set := s.Get(config.Timeout)
	if set.Value == "" {
		return 0, nil
	}
	timeout, err := time.ParseDuration(set.Value)
	if err != nil || timeout <= 0 {
		return 0, cli.UsageError("timeout %q from %s: it takes a time such as 30s", set.Value, set.Origin)
	}
	return timeout, nil
}

func (a *Access) NewClient(address string, token func(context.Context) (string, error), timeout time.Duration) (*client.Client, error) {
	return a.newClientWith(client.Options{BaseURL: address, TokenSource: token, Timeout: timeout, ModelTimeout: timeout})
}

func (a *Access) newClientWith(o client.Options) (*client.Client, error) {
	o.Version, o.OnRetry = cli.VersionText(), a.SayRetry
	return client.New(o)
}

// PlayerName is what a player is called who gave no name: the setting, else the
// name of the account on this machine.
func (a *Environment) PlayerName(s *config.Settings) string {
	if name := s.Get(config.PlayerName).Value; name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		if name := strings.TrimSpace(u.Name); name != "" {
			return strings.Fields(name)[0]
		}
		return filepath.Base(strings.ReplaceAll(u.Username, `\`, "/"))
	}
	return "Traveller"
}

func (a *Environment) DataFolder(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	return a.Dirs().Data()
}

// signInToken is the token that a running server left for this machine's user,
// if it is for just this address.
func (a *Access) signInToken(dir, address string) (string, error) {
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

// LockMarks is where it is marked that a parley.lock is in use: in the state folder or,
// where there is none that can be written, in a temporary one of this user.
func (a *Environment) LockMarks() string {
	if dir, err := a.Dirs().State(); err == nil {
		marks := filepath.Join(dir, "locks")
		if writable(marks) {
			return marks
		}
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("parley-%d", os.Getuid()), "locks")
}

// writable tells whether files can be made in a folder, which is made when needed.
func writable(folder string) bool {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return false
	}
	f, err := os.CreateTemp(folder, ".probe-*")
	if err != nil {
		return false
	}
	return errors.Join(f.Close(), os.Remove(f.Name())) == nil
}

// SayRetry tells a person that a call is tried again and when.
func (a *Access) SayRetry(r client.Retry) {
	if a.TTY.Err && !a.FullScreen {
		a.Say("%s", a.Style.Faint(fmt.Sprintf("%s; trying again in %s", terminal.Clean(r.Reason), r.Wait.Round(100*time.Millisecond))))
	}
}

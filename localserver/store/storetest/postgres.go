// Package storetest starts PostgreSQL servers for tests. Each server has a temporary directory with
// a socket, and no port.
package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver of OpenPool
)

// ErrNone means that this machine cannot start PostgreSQL. Tests should then be skipped.
var ErrNone = errors.New("PostgreSQL cannot be started here")

// A Cluster is a PostgreSQL server for tests. The first call of NewDatabase starts the server. The
// zero value is ready to use and safe for concurrent use.
type Cluster struct {
	mu      sync.Mutex
	folder  string // directory of data and socket
	tools   string // directory of initdb and postgres
	process *exec.Cmd
	ended   chan struct{}
	failure error
	created int
}

// Superuser is the owner of all databases in a cluster.
const Superuser = "parley"

// NewDatabase creates an empty schema and returns an address of the schema. NewDatabase returns
// ErrNone without PostgreSQL.
func (c *Cluster) NewDatabase(ctx context.Context) (address string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.startOnce(ctx); err != nil {
		return "", err
	}
	c.created++
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), c.created)
	conn, err := pgx.Connect(ctx, c.Address())
	if err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "CREATE SCHEMA "+name)
	return c.Address() + "&search_path=" + name, errors.Join(err, conn.Close(ctx))
}

// TB is the part of testing.TB that this package uses. Only tests should import testing.
type TB interface {
	Helper()
	Context() context.Context
	Cleanup(end func())
	Error(args ...any)
	Fatal(args ...any)
	Skip(args ...any)
}

// MustNewDatabase is NewDatabase for a test. MustNewDatabase skips the test without PostgreSQL.
func (c *Cluster) MustNewDatabase(t TB) (address string) {
	t.Helper()
	address, err := c.NewDatabase(t.Context())
	if errors.Is(err, ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// Start starts a PostgreSQL server for one test. Start returns the address of an empty database.
func Start(t TB) (c *Cluster, address string) {
	t.Helper()
	c = &Cluster{}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c, c.MustNewDatabase(t)
}

// OpenPool opens a database directly, without the store.
func OpenPool(address string) (*sql.DB, error) { return sql.Open("pgx", address) }

// Address returns the address of the cluster's own database.
func (c *Cluster) Address() string {
	return "postgres://" + Superuser + "@/postgres?sslmode=disable&host=" + c.folder
}

func (c *Cluster) startOnce(ctx context.Context) error {
	if c.failure != nil || c.process != nil {
		return c.failure
	}
	if c.failure = c.makeFolder(ctx); c.failure == nil {
		c.failure = c.startProcess(ctx)
	}
	return c.failure
}

// The paths of sockets must be short.
func (c *Cluster) makeFolder(ctx context.Context) (err error) {
	if c.tools, err = findTools(); err != nil {
		return err
	}
	above := "/tmp"
	if _, err := os.Stat(above); err != nil {
		above = ""
	}
	if c.folder, err = os.MkdirTemp(above, "pg"); err != nil {
		return err
	}
	if err := chownFolder(c.folder); err != nil {
		return err
	}
	output, err := c.command(
		ctx, "initdb", "--no-sync", "--no-instructions", "--auth=trust", "--encoding=UTF8", "--locale=C",
		"--username="+Superuser, "--pgdata="+c.data(),
	).CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w: %s", err, bytes.TrimSpace(output))
	}
	return nil
}

func (c *Cluster) data() string { return filepath.Join(c.folder, "data") }

func (c *Cluster) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	tool := filepath.Join(c.tools, name)
	cmd := exec.CommandContext(ctx, tool, args...) //nolint:gosec // initdb and postgres of this machine
	cmd.Dir = c.folder
	actUnprivileged(cmd)
	return cmd
}

var settings = [...]string{
	"listen_addresses=", "fsync=off", "full_page_writes=off", "max_connections=400", "shared_buffers=64MB",
	"max_wal_size=256MB", "autovacuum_naptime=10s", "log_min_messages=warning",
}

func (c *Cluster) startProcess(ctx context.Context) error {
	args := []string{"-D", c.data(), "-k", c.folder}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	log, err := os.Create(filepath.Join(c.folder, "log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	process := c.command(context.WithoutCancel(ctx), "postgres", args...)
	process.Stdout, process.Stderr = log, log
	if err := process.Start(); err != nil {
		return err
	}
	c.process, c.ended = process, make(chan struct{})
	go awaitEnd(process, c.ended)
	return c.waitForAnswer(ctx)
}

// awaitEnd is a named function for the checks for leaked goroutines.
func awaitEnd(process *exec.Cmd, ended chan<- struct{}) {
	_ = process.Wait()
	close(ended)
}

const startTimeout = 60 * time.Second

func (c *Cluster) waitForAnswer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, c.Address())
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-c.ended:
			return fmt.Errorf("postgres ended: %s", c.readLog())
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", err, c.readLog())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (c *Cluster) readLog() string {
	file, err := os.Open(filepath.Join(c.folder, "log"))
	if err != nil {
		return err.Error()
	}
	defer func() { _ = file.Close() }()
	text, _ := io.ReadAll(io.LimitReader(file, 4096))
	return strings.TrimSpace(string(text))
}

// Kill ends PostgreSQL immediately, like a failure of the machine.
func (c *Cluster) Kill() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kill()
}

func (c *Cluster) kill() error {
	if c.process == nil {
		return nil
	}
	err := endProcess(c.process)
	<-c.ended
	c.process = nil
	return err
}

// Restart starts PostgreSQL again on the same files.
func (c *Cluster) Restart(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.startProcess(ctx)
}

// Stop ends PostgreSQL and removes its directory. Stop accepts a cluster that was not started.
func (c *Cluster) Stop() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.kill()
	if c.folder == "" {
		return err
	}
	return errors.Join(err, os.RemoveAll(c.folder))
}

func findTools() (string, error) {
	var candidates []string
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin",
	} {
		folders, _ := filepath.Glob(pattern) // The patterns are valid.
		for _, folder := range folders {
			if _, err := os.Stat(filepath.Join(folder, "initdb")); err == nil {
				candidates = append(candidates, folder)
			}
		}
	}
	if len(candidates) == 0 {
		return "", fmt.Errorf("%w: initdb was not found (package postgresql)", ErrNone)
	}
	return slices.Max(candidates), nil
}

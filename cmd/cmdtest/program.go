package cmdtest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/parley-npc/parley/cmd/early"
	"github.com/parley-npc/parley/cmd/service"
)

// Main is the TestMain of a package, or runs program if AsParley is set. Importing cmd would be a
// cycle.
func Main(m *testing.M, program func(args []string, in, out, talk *os.File) int) {
	parley := func() {
		early.Restore()
		boundProcess()
		os.Exit(program(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	if os.Getenv(AsParley) != "" {
		parley()
	}
	for name, value := range map[string]string{"LC_ALL": "", "LC_CTYPE": "", "LANG": "C.UTF-8"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	hearSignals()
	// Two tests for each processor, because most tests wait for processes.
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0)))
	testscript.Main(m, map[string]func(){"parley": parley, "visitor": actAsBrowser})
}

// processLimit is shorter than the timeout of the waiting test.
const processLimit = 4 * time.Minute

const exitTooLong = 124

func boundProcess() {
	if slices.Contains(os.Args[1:], "localserver") {
		return
	}
	time.AfterFunc(processLimit, func() {
		_, _ = fmt.Fprintf(os.Stderr, "\nparley of a test: still running after %s\n", processLimit)
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
		os.Exit(exitTooLong)
	})
}

// hearSignals helps under nohup. A child inherits an ignored signal, but not a handled signal.
func hearSignals() {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// RepositoryRoot returns the directory with go.mod.
func RepositoryRoot(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(folder, "go.mod")); missing == nil {
			return folder
		}
		if folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder)
	}
	t.Fatalf("no folder above has a go.mod: %v", err)
	return ""
}

// AsParley is the environment variable that makes the test binary run as parley.
const AsParley = "PARLEY_TEST_BINARY"

func MustOutput(t testing.TB, args ...string) string {
	t.Helper()
	p := exec.Command(os.Args[0], args...)
	p.Env = append(os.Environ(), AsParley+"=1")
	out, err := p.Output()
	if err != nil {
		t.Fatalf("parley %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func MustRun(t testing.TB, p *exec.Cmd) {
	t.Helper()
	if out, err := p.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", p.Args, err, out)
	}
}

// AuthorCommand returns a parley command with its own data directory for the server at address.
func AuthorCommand(folder, data, address string, args ...string) *exec.Cmd {
	p := exec.Command(os.Args[0], append(args, "--server", address)...)
	p.Dir = folder
	p.Env = append(os.Environ(), AsParley+"=1", "HOME="+data, "PARLEY_DATA_DIR="+data, "PARLEY_CONFIG_DIR="+data,
		"PARLEY_STATE_DIR="+data)
	return p
}

// BareCommand returns a parley command with only the given environment.
func BareCommand(folder string, environment []string, args ...string) *exec.Cmd {
	p := exec.Command(os.Args[0], args...)
	p.Dir = folder
	p.Env = append([]string{AsParley + "=1", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}, environment...)
	return p
}

// ExitCode returns the exit code for an error of Wait or Run.
func ExitCode(t testing.TB, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		t.Fatal(err)
	}
	return exit.ExitCode()
}

func BuildProgram(b testing.TB, pkg string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "program.exe")
	p := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, pkg)
	if out, err := p.CombinedOutput(); err != nil {
		b.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return path
}

// Swordfish is the value of each variable in Secrets.
const Swordfish = "swordfish"

func Secrets() []string {
	var list []string
	for _, name := range service.HiddenVariables() {
		list = append(list, name+"="+Swordfish)
	}
	return list
}

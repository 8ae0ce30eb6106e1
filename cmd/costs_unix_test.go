//go:build unix

package cmd_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/personatest"
)

type costLimit struct {
	name    string
	size    int
	seconds float64 // of processor
	bytes   int64
}

var costLimits = []costLimit{{"1MB", 1 << 20, 2, 300 << 20}, {"8MB", 8 << 20, 10, 1 << 30}}

// costedCommands are the commands that read persona files. FILE is the file, OTHER is one of the
// same shape with other words.
var costedCommands = map[string]string{
	"lint":           "persona lint FILE",
	"lint-json":      "persona lint --format json FILE",
	"prove":          "persona prove FILE",
	"prove-json":     "persona prove --json FILE",
	"fmt":            "persona fmt --check FILE",
	"fmt-diff":       "persona fmt --diff FILE",
	"graph-terminal": "persona graph --format terminal FILE",
	"graph-mermaid":  "persona graph --format mermaid FILE",
	"graph-dot":      "persona graph --format dot FILE",
	"graph-svg":      "persona graph --format svg --color proof FILE",
	"graph-png":      "persona graph --format png FILE",
	"diff":           "persona diff OTHER FILE",
	"diff-json":      "persona diff --format json OTHER FILE",
	"simulate":       "persona simulate FILE",
	"polish":         "persona polish FILE",
	"polish-field":   "persona polish FILE --field description --llm-replay none.jsonl",
	"test-stubs":     "persona test --stubs FILE",
	"chat":           "chat --plain FILE",
	"save":           "persona save --no-lock --dry-run FILE",
}

// TestCommandsCostLittle runs all commands on all hostile files, for hours, only with PARLEY_COSTS=1.
func TestCommandsCostLittle(t *testing.T) {
	c := prepareCosts(t)
	for _, limit := range costLimits {
		t.Run(limit.name, func(t *testing.T) {
			for _, s := range personatest.Shapes() {
				t.Run(strings.ReplaceAll(s.Name, " ", "-"), func(t *testing.T) { c.measureShape(t, limit, s) })
			}
			for _, s := range personatest.PlayShapes("persona.yaml") {
				t.Run("play-"+strings.ReplaceAll(s.Name, " ", "-"), func(t *testing.T) { c.measurePlay(t, limit, s) })
			}
		})
	}
}

// prepareCosts builds the program that is measured, and prints the figures at the end.
func prepareCosts(t *testing.T) *costs {
	t.Helper()
	if os.Getenv("PARLEY_COSTS") == "" {
		t.Skip("PARLEY_COSTS=1 measures every command and endpoint with every shape of hostile file")
	}
	c := &costs{program: os.Getenv("PARLEY_COSTS_PROGRAM"), worst: map[string]cost{}}
	if c.program == "" {
		c.program = cmdtest.BuildProgram(t, "./parley")
	}
	t.Cleanup(func() { t.Log("\n" + c.table()) })
	return c
}

// cost is the resources that a command used.
type cost struct {
	seconds, elapsed float64
	bytes            int64
	slowest, largest string
}

type costs struct {
	program string
	worst   map[string]cost
}

func (c *costs) measureShape(t *testing.T, limit costLimit, s personatest.Shape) {
	folder := t.TempDir()
	file, other := filepath.Join(folder, s.File()), filepath.Join(folder, "other-"+s.File())
	size := limit.size
	if _, _, faults := personas.Parse(s.File(), []byte(s.Text(size, 1))); len(faults) > 0 && strings.Contains(faults[0].Message, "too many values") {
		size = cmp.Or(findReadableSize(s, size), size) // What is refused at once tells nothing.
	}
	writeFile(t, file, s.Text(size, 1), 0o600)
	writeFile(t, other, s.Text(size, 2), 0o600)
	for _, command := range slices.Sorted(maps.Keys(costedCommands)) {
		t.Run(command, func(t *testing.T) {
			args := strings.Fields(costedCommands[command])
			for i := range args {
				args[i] = strings.NewReplacer("FILE", file, "OTHER", other).Replace(args[i])
			}
			c.measure(t, limit, command, s.Name, folder, args)
		})
	}
}

// findReadableSize returns the size at which a shape has nearly as many values as a document may have.
func findReadableSize(s personatest.Shape, size int) int {
	least := 0
	for step := size / 2; step > size/200; step /= 2 {
		if _, _, faults := personas.Parse(s.File(), []byte(s.Text(least+step, 1))); len(faults) == 0 {
			least += step
		}
	}
	return least
}

func (c *costs) measurePlay(t *testing.T, limit costLimit, s personatest.Shape) {
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, "persona.yaml"), personatest.Find("machines").Text(1<<10, 1), 0o600)
	writeFile(t, filepath.Join(folder, s.File()), s.Text(limit.size, 1), 0o600)
	for name, args := range map[string]string{"test": "persona test", "test-json": "persona test --format json", "test-update": "persona test --update"} {
		t.Run(name, func(t *testing.T) {
			c.measure(t, limit, name, s.Name, folder, append(strings.Fields(args), filepath.Join(folder, s.File())))
		})
	}
}

// measure runs one command and compares its cost with the limit.
func (c *costs) measure(t *testing.T, limit costLimit, command, shape, folder string, args []string) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Duration(limit.seconds)*time.Second)
	defer cancel()
	p := exec.CommandContext(ctx, c.program, args...)
	p.Dir = folder
	p.Env = append(os.Environ(), "HOME="+folder, "PARLEY_DATA_DIR="+folder, "PARLEY_CONFIG_DIR="+folder, "PARLEY_STATE_DIR="+folder, "CLICOLOR_FORCE=1")
	p.Stdin = strings.NewReader("hello\n")
	var talk bytes.Buffer
	p.Stderr = &talk
	began := time.Now()
	err := p.Run()
	usage := p.ProcessState.SysUsage().(*syscall.Rusage)
	took := cost{(p.ProcessState.UserTime() + p.ProcessState.SystemTime()).Seconds(), time.Since(began).Seconds(), usage.Maxrss << 10, shape, shape}
	if runtime.GOOS == "darwin" {
		took.bytes = usage.Maxrss
	}
	c.keepWorst(limit.name+" "+command, took)
	assert.True(t, took.seconds <= limit.seconds && took.bytes <= limit.bytes && ctx.Err() == nil,
		"%.1f s of processor, %.1f s, %d MiB: %v %.300s", took.seconds, took.elapsed, took.bytes>>20, err, talk.String())
}

func (c *costs) keepWorst(key string, took cost) {
	worst := c.worst[key]
	if took.seconds > worst.seconds {
		worst.seconds, worst.slowest = took.seconds, took.slowest
	}
	if took.bytes > worst.bytes {
		worst.bytes, worst.largest = took.bytes, took.largest
	}
	c.worst[key] = worst
}

func (c *costs) table() string {
	var out strings.Builder
	for _, key := range slices.Sorted(maps.Keys(c.worst)) {
		w := c.worst[key]
		fmt.Fprintf(&out, "| %s | %.1f s | %s | %d MiB | %s |\n", key, w.seconds, w.slowest, w.bytes>>20, w.largest)
	}
	return out.String()
}

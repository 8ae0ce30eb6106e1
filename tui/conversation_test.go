package tui

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
)

// Which machines an unseen ending has opened.
func TestOpened(t *testing.T) {
	c := newPersona("mira", testPersona())
	gate := c.findMachine("gate")
	list := func(cellar, tower machineStatus) []listedMachine {
		return []listedMachine{{id: gate.id, key: "gate", status: machineEnded}, {id: "m-cellar", key: "cellar", status: cellar}, {id: "m-tower", key: "tower", status: tower}}
	}
	accepted := standing{outcome: string(personas.Accept), score: 2}
	cases := []struct {
		name          string
		at            standing
		before, after []listedMachine
		want          []string
	}{
		{"locked before", accepted, list(machineLocked, machineLocked), list(machineOpen, machineLocked), []string{"m-cellar"}},
		{"open before", accepted, list(machineOpen, machineLocked), list(machineOpen, machineLocked), nil},
		{"hidden before", accepted, list(machineOpen, machineLocked)[:1], list(machineOpen, machineLocked), []string{"m-cellar"}},
		{"begun since by another", accepted, list(machineLocked, machineLocked), list(machineBegun, machineLocked), nil},
		{"never read: what the links say", accepted, nil, list(machineOpen, machineOpen), []string{"m-cellar"}},
		{"never read, another ending", standing{outcome: string(personas.Reject)}, nil, list(machineOpen, machineOpen), nil},
		{"never read, begun before", accepted, nil, list(machineBegun, machineLocked), nil},
	}
	for _, k := range cases {
		if got := c.listOpened(gate, k.at, k.before, k.after); !slices.Equal(got, k.want) {
			t.Errorf("%s: %v, want %v", k.name, got, k.want)
		}
	}
}

// Which failures leave it open whether a turn has counted.
func TestCounted(t *testing.T) {
	d := defaultRequester()
	d.neverSent = func(err error) bool { return errors.Is(err, errNobody) }
	for err, want := range map[error]bool{
		errLost: true, fmt.Errorf("deep: %w", errNobody): false, refusedWith(http.StatusBadGateway, ""): true, refusedWith(http.StatusConflict, ""): true,
		refusedWith(http.StatusTooManyRequests, ""): false, refusedWith(http.StatusUnprocessableEntity, ""): false,
	} {
		if got := d.mayHaveCounted(err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// Every command has a name of its own, a sentence, and something that it does.
func TestCommandTable(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Commands[error]() {
		if seen[c.Name] || c.Run == nil || !strings.HasSuffix(c.Help, ".") || strings.ToLower(c.Name) != c.Name {
			t.Errorf("command %+v", c.Usage())
		}
		seen[c.Name] = true
	}
}

func TestParseCommand(t *testing.T) {
	cases := []struct{ line, name, arg, text, err string }{
		{"hello", "", "", "hello", ""},
		{"  padded  ", "", "", "padded", ""},
		{"//x", "", "", "/x", ""},
		{"/HELP", "help", "", "", ""},
		{"/machines  gate ", "machines", "gate", "", ""},
		{"/", "", "", "", "there is no command /"},
		{"/\x1b[2J", "", "", "", "␛[2J"},
		{"/progess", "", "", "", "did you mean /progress?"},
	}
	for _, c := range cases {
		cmd, arg, text, err := ParseLine[error](c.line)
		name := ""
		if cmd != nil {
			name = cmd.Name
		}
		if name != c.name || arg != c.arg || text != c.text || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %q %q %q %v", c.line, name, arg, text, err)
		}
	}
}

// The waits grow to a bound, and never end by themselves.
func TestLostConnectionBackOff(t *testing.T) {
	r := defaultRequester()
	for tries, want := range []time.Duration{1, 2, 4, 8, 15, 15, 15} {
		wait, why := r.retryDelay(fmt.Errorf("%w; start it", errLost), tries)
		if wait != want*time.Second || why != errLost.Error() {
			t.Errorf("after %d tries: %v, %s", tries, wait, why)
		}
	}
	if wait, _ := r.retryDelay(errLost, 1<<40); wait != longestWait {
		t.Errorf("after very many tries: %v", wait)
	}
}

// What is tried again by itself, and how often.
func TestPatience(t *testing.T) {
	r := defaultRequester()
	cases := []struct {
		err   error
		tries int
		want  time.Duration
	}{
		{limitedFor(7 * time.Second), 50, 7 * time.Second},
		{limitedFor(0), 0, limitedWait},
		{refusedWith(502, wire.CodeModelFailed), 0, time.Second},
		{refusedWith(503, wire.CodeUnavailable), 2, 4 * time.Second},
		{refusedWith(503, wire.CodeUnavailable), 3, 0},
		{&wire.Error{Status: 503, RetryAfter: 9 * time.Second}, 0, 9 * time.Second},
		{refusedWith(409, wire.CodeConflict), 0, time.Second},
		{refusedWith(409, wire.CodeFinished), 0, 0},
		{refusedWith(401, ""), 0, 0},
		{refusedWith(422, ""), 0, 0},
		{context.DeadlineExceeded, 0, 0},
		{fmt.Errorf("given up: %w", context.Canceled), 0, 0},
	}
	for _, k := range cases {
		if got, _ := r.retryDelay(k.err, k.tries); got != k.want {
			t.Errorf("%v after %d tries: %v, want %v", k.err, k.tries, got, k.want)
		}
	}
}

// Errors are sorted without knowing who made them.
func TestLostByDefault(t *testing.T) {
	for err, want := range map[error]bool{errLost: true, context.Canceled: false, errors.New("x"): true, refusedWith(500, ""): false, context.DeadlineExceeded: false} {
		if neitherRefusedNorStopped(err) != want {
			t.Errorf("%v", err)
		}
	}
}

func defaultRequester() *requester {
	var o TalkOptions
	o.fillDefaults()
	return newRequester(&o)
}

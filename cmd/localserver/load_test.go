package localservercmd_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// loadTime is for how long TestLoadOverNodes keeps three nodes busy. Without it the test
// is skipped: go test ./cmd/localserver -run TestLoadOverNodes -load 10m -timeout 30m -v
var loadTime = flag.Duration("load", 0, "how long TestLoadOverNodes keeps three nodes busy")

const (
	loadConnections = 64
	compareTime     = 20 * time.Second // for each of the set-ups
	warmTime        = 3 * time.Second
	memorySamples   = 30
)

type fleet struct {
	name      string
	address   string // the balancer's
	persona   string
	processes []*exec.Cmd
	stop      func()
}

func startFleet(t *testing.T, name string, count int, flags []string, environment ...string) *fleet {
	t.Helper()
	f := &fleet{name: name}
	var targets []*url.URL
	var servers []*cmdtest.Server
	for i := range count {
		data := t.TempDir()
		p := exec.Command(os.Args[0], append([]string{"localserver", "--listen", "127.0.0.1:0"}, flags...)...)
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "PARLEY_DATA_DIR="+data, "PARLEY_CONFIG_DIR="+data, "HOME="+data)
		p.Env = append(p.Env, environment...)
		s := assert.Value(cmdtest.StartServer(p))(t)
		target := assert.Value(url.Parse(s.Address))(t)
		if i == 0 {
			f.persona = plantTalkative(t, s.Address, data)
		}
		f.processes, targets, servers = append(f.processes, p), append(targets, target), append(servers, s)
	}
	balancer := httptest.NewServer(newBalancer(targets))
	f.address = balancer.URL
	f.stop = func() {
		balancer.Close()
		for _, s := range servers {
			s.Kill()
		}
	}
	t.Cleanup(f.stop)
	return f
}

func newBalancer(targets []*url.URL) http.Handler {
	var next atomic.Uint32
	return &httputil.ReverseProxy{
		Transport: cmdtest.WholeBodies{RoundTripper: &http.Transport{MaxIdleConnsPerHost: loadConnections, MaxIdleConns: 0}},
		Rewrite: func(r *httputil.ProxyRequest) {
			n := next.Add(1)
			r.SetURL(targets[int(n)%len(targets)])
			caller := n / 50
			r.Out.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", byte(caller>>16), byte(caller>>8), byte(caller)))
		},
	}
}

type loadResult struct {
	turns, faults int
	fault         string // the first one
	took          time.Duration
	waits         []time.Duration
}

func (r *loadResult) String() string {
	slices.Sort(r.waits)
	at := func(part float64) time.Duration {
		return r.waits[int(part*float64(len(r.waits)-1))].Round(100 * time.Microsecond)
	}
	return fmt.Sprintf("%6.0f turns/s, half within %s, 99 %% within %s, %d faults", float64(r.turns)/r.took.Seconds(), at(0.5), at(0.99), r.faults)
}

// keepBusy lets players talk over many connections for a time, restarting now and then.
func (f *fleet) keepBusy(t *testing.T, prefix string, connections int, during time.Duration) *loadResult {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true}}
	defer client.CloseIdleConnections()
	result, begun := &loadResult{}, time.Now()
	var mu sync.Mutex
	var group sync.WaitGroup
	for c := range connections {
		group.Go(func() {
			own := talkFor(t.Context(), client, f, fmt.Sprintf("%s-%d", prefix, c), begun.Add(during))
			mu.Lock()
			defer mu.Unlock()
			result.turns += own.turns
			result.faults += own.faults
			result.waits = append(result.waits, own.waits...)
			if result.fault == "" {
				result.fault = own.fault
			}
		})
	}
	group.Wait()
	result.took = time.Since(begun)
	return result
}

// turnsOfPlayer is the number of turns of one player, before another one follows.
const turnsOfPlayer = 100

func talkFor(ctx context.Context, client *http.Client, f *fleet, prefix string, until time.Time) *loadResult {
	r := &loadResult{}
	post := func(path, body string) bool {
		err := postJSON(ctx, client, f.address+wire.Path(path, f.persona), body)
		if err != nil {
			r.faults++
			r.fault = err.Error()
		}
		return err == nil
	}
	for n := 0; time.Now().Before(until) && ctx.Err() == nil; n++ {
		player := fmt.Sprintf("%s-%d", prefix, n)
		if !post(wire.PathInitSession, fmt.Sprintf(`{"user_session_id": %q, "player_name": "P", "player_gender": "female"}`, player)) {
			continue
		}
		for i := 0; i < turnsOfPlayer && time.Now().Before(until); i++ {
			begun := time.Now()
			if post(wire.PathMessage, fmt.Sprintf(`{"user_session_id": %q, "message": "What do you say to number %d?"}`, player, i)) {
				r.turns++
				if i%10 == 0 {
					r.waits = append(r.waits, time.Since(begun))
				}
			}
		}
	}
	return r
}

func postJSON(ctx context.Context, client *http.Client, address, body string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", answer.StatusCode, text)
	}
	return err
}

// readMemory returns the memory that the servers use, in MiB, or nil on systems other than Linux.
func (f *fleet) readMemory() (mib []int) {
	for _, p := range f.processes {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
		if err != nil {
			return nil
		}
		var kib int
		if _, behind, ok := strings.Cut(string(text), "VmRSS:"); ok {
			_, _ = fmt.Sscan(behind, &kib)
		}
		mib = append(mib, kib>>10)
	}
	return mib
}

// TestLoadOverNodes compares SQLite, PostgreSQL and three servers on it, then no request of the three may fail.
func TestLoadOverNodes(t *testing.T) {
	if *loadTime <= 0 {
		t.Skip("it takes long: say for how long with -load 10m")
	}
	var cluster storetest.Cluster
	newDatabase := func() string {
		address := cluster.MustNewDatabase(t)
		return "PARLEY_DATABASE=" + address
	}
	newDatabase()
	t.Cleanup(func() { assert.NoError(t, cluster.Stop()) })
	off, on := []string{"--rate-limit", "off"}, []string{"--rate-limit", "on", "--trusted-proxy", "127.0.0.0/8"}
	t.Logf("%d processors for players, balancer, servers and PostgreSQL together; PostgreSQL with fsync=off, SQLite with --durability normal: neither waits for the disk", runtime.NumCPU())
	var three *fleet
	for _, setup := range []struct {
		name  string
		count int
		flags []string
		env   func() []string
	}{
		{"SQLite", 1, append([]string{"--durability", "normal"}, off...), func() []string { return nil }},
		{"PostgreSQL, 1 node", 1, off, func() []string { return []string{newDatabase()} }},
		{"PostgreSQL, 1 node, limits", 1, on, func() []string { return []string{newDatabase()} }},
		{"PostgreSQL, 3 nodes", 3, off, func() []string { return []string{newDatabase()} }},
	} {
		if three = startFleet(t, setup.name, setup.count, setup.flags, setup.env()...); t.Failed() {
			return
		}
		for _, connections := range []int{16, loadConnections} {
			three.keepBusy(t, fmt.Sprint("warm", connections), connections, warmTime)
			result := three.keepBusy(t, fmt.Sprint("c", connections), connections, compareTime/2)
			t.Logf("%-27s %2d connections: %s", setup.name, connections, result)
			assert.True(t, result.faults <= 0, "%s: %s", setup.name, result.fault)
		}
		if setup.count == 1 {
			three.stop()
		}
	}
	keepFlat(t, three, *loadTime)
}

func keepFlat(t *testing.T, f *fleet, during time.Duration) {
	t.Helper()
	var samples [][]int
	for part := range memorySamples {
		result := f.keepBusy(t, fmt.Sprint("long", part), loadConnections, during/memorySamples)
		memory := f.readMemory()
		samples = append(samples, memory)
		t.Logf("%8s %s, memory %v MiB", (time.Duration(part+1) * during / memorySamples).Round(time.Second), result, memory)
		assert.Must(t, result.faults <= 0, "a request failed: %s", result.fault)
	}
	for node := range samples[0] {
		second, last := 0, 0
		for i := range memorySamples / 3 {
			second += samples[memorySamples/3+i][node]
			last += samples[2*memorySamples/3+i][node]
		}
		assert.True(t, last <= second*5/4, "the memory of node %d grows: %v", node, samples)
	}
}

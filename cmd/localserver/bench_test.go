//go:build !windows

package localservercmd_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// BenchmarkSlowConnections asks for the list on a new connection each time, while that many other
// connections hang in the middle of a header.
func BenchmarkSlowConnections(b *testing.B) {
	for _, slow := range []int{0, 2_000, 10_000} {
		b.Run(fmt.Sprint(slow), func(b *testing.B) {
			var files syscall.Rlimit
			if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || int(files.Cur) < slow+200 {
				b.Fatalf("%d connections need more open files than %d: %v", slow, files.Cur, err)
			}
			s, err := cmdtest.StartServer(slowServer(b))
			assert.NoError(b, err)
			defer s.Kill()
			release := standing(b, strings.TrimPrefix(s.Address, "http://"), slow)
			defer release()
			var times []time.Duration
			for b.Loop() {
				begun := time.Now()
				listOnce(b, s.Address)
				times = append(times, time.Since(begun))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "µs-p99")
			b.ReportMetric(measuredMemory(b, s.Address), "MiB-server")
		})
	}
}

func slowServer(b *testing.B) *exec.Cmd {
	p := exec.Command(os.Args[0], "localserver", "--listen", "127.0.0.1:0", "--rate-limit", "off")
	dir := b.TempDir()
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "PARLEY_DATA_DIR="+dir, "PARLEY_CONFIG_DIR="+dir, "HOME="+dir)
	return p
}

func standing(b *testing.B, address string, n int) (release func()) {
	var open []net.Conn
	for range n {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_, err = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
		}
		assert.NoError(b, err)
		open = append(open, conn)
	}
	return func() {
		for _, conn := range open {
			_ = conn.Close()
		}
	}
}

func listOnce(b *testing.B, address string) {
	once := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := once.Get(address + wire.PathPersonas)
	assert.Must(b, err == nil && answer.StatusCode == http.StatusOK, "%v, %v", answer, err)
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
}

// measuredMemory returns the server's memory from its metrics.
func measuredMemory(b *testing.B, address string) float64 {
	answer, err := http.Get(address + "/metrics")
	assert.NoError(b, err)
	text, _ := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	for line := range strings.Lines(string(text)) {
		var bytes float64
		if n, _ := fmt.Sscanf(line, "process_resident_memory_bytes %g", &bytes); n == 1 {
			return bytes / (1 << 20)
		}
	}
	return 0
}

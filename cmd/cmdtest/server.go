package cmdtest

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/client"
)

type Server struct {
	process *exec.Cmd
	Address string
	done    chan struct{}
	err     error
}

// StartServer starts p and reads the address from the first line of stdout.
func StartServer(p *exec.Cmd) (*Server, error) {
	out, err := p.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	s := &Server{process: p, Address: strings.TrimSpace(line), done: make(chan struct{})}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		s.err = p.Wait()
		close(s.done)
	}()
	if err != nil {
		<-s.done
		return nil, fmt.Errorf("no address: %w", s.err)
	}
	return s, nil
}

func (s *Server) Kill() {
	_ = s.process.Process.Kill()
	<-s.done
}

// Interrupt sends SIGINT and waits for the end of the process. On Windows it kills the process.
func (s *Server) Interrupt() error {
	if runtime.GOOS == "windows" {
		s.Kill()
		return nil
	}
	if err := s.process.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	select {
	case <-s.done:
		return s.err
	case <-time.After(Timeout):
		return fmt.Errorf("the server does not stop")
	}
}

// Nowhere is an address without a server. Systems never assign this port.
const Nowhere = "http://127.0.0.1:1"

// FreeAddress returns an unused loopback address outside the ephemeral range.
func FreeAddress() (string, error) {
	var err error
	for range 100 {
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(12_000))); err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	return "", err
}

// StartLocalServer starts a server without rate limits until the end of the test. environment
// contains NAME=VALUE.
func StartLocalServer(t *testing.T, data string, environment ...string) *Server {
	t.Helper()
	p := exec.Command(os.Args[0], "localserver", "--listen", "127.0.0.1:0", "--rate-limit", "off")
	p.Env = append(os.Environ(), AsParley+"=1", "PARLEY_DATA_DIR="+data, "PARLEY_CONFIG_DIR="+data, "HOME="+data)
	p.Env = append(p.Env, environment...)
	s, err := StartServer(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

// NewClient returns a client without retries.
func NewClient(t testing.TB, address, token string) *client.Client {
	t.Helper()
	c, err := client.New(client.Options{BaseURL: address, Token: token, Version: "test", Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

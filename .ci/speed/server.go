package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// kind is a kind of request.
type kind int

const (
	turn kind = iota
	newTurn
	view
	list
)

// server is a running program under test.
type server struct {
	name, address, data string
	command             *exec.Cmd
	// request returns the HTTP request that the i-th connection sends.
	request func(k kind, i int) (string, error)
	token   string
}

// startAll starts the servers of the given programs, with their data in a folder.
func startAll(folder string) (servers []*server, err error) {
	for _, start := range []struct {
		name, program string
		start         func(s *server, program string) error
	}{{"parley", *parley, startParley}, {"before", *before, startParley}, {"PocketBase", *pocketbase, startPocketBase}} {
		if start.program == "" {
			continue
		}
		s := &server{name: start.name, data: filepath.Join(folder, start.name)}
		if s.address, err = freeAddress(); err != nil {
			return servers, err
		}
		servers = append(servers, s)
		if err := start.start(s, start.program); err != nil {
			return servers, err
		}
	}
	return servers, nil
}

func (s *server) stop() {
	if s.command != nil && s.command.Process != nil {
		_ = s.command.Process.Signal(os.Interrupt)
		_ = s.command.Wait()
	}
}

// resident returns the resident memory of the server in MiB.
func (s *server) resident() float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kilobytes, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
	return kilobytes / 1024
}

// processor returns the CPU time that the server has used so far.
func (s *server) processor() time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.command.Process.Pid))
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0 // no /proc
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// measure sends requests for the time of -moment. It returns the number of responses per second and
// the CPU time per response in µs.
func (s *server) measure(k kind, connections int) (perSecond, cost float64, err error) {
	counts, errs := make([]int, connections), make([]error, connections)
	begun, before := time.Now(), s.processor()
	until := begun.Add(*moment)
	var group sync.WaitGroup
	for i := range connections {
		group.Go(func() { counts[i], errs[i] = s.ask(k, i, until) })
	}
	group.Wait()
	took, worked := time.Since(begun), s.processor()-before
	answers := 0
	for i, n := range counts {
		answers += n
		if errs[i] != nil {
			return 0, 0, errs[i]
		}
	}
	return float64(answers) / took.Seconds(), float64(worked.Microseconds()) / float64(answers), nil
}

// ask sends one connection's request repeatedly and returns the number of responses.
func (s *server) ask(k kind, i int, until time.Time) (answers int, err error) {
	text, err := s.request(k, i)
	if err != nil {
		return 0, err
	}
	conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", s.address)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	for ; time.Now().Before(until); answers++ {
		if _, err := io.WriteString(conn, strings.Replace(text, "XXXXXX", fmt.Sprintf("%06d", asked.Add(1)), 1)); err != nil {
			return answers, err
		}
		if err := skipAnswer(in); err != nil {
			return answers, err
		}
	}
	return answers, nil
}

// skipAnswer reads a response with little work, because the caller shares the machine with the
// server.
func skipAnswer(in *bufio.Reader) error {
	answer, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		body, err := io.ReadAll(answer.Body)
		return errors.Join(fmt.Errorf("error response: %s", body), err)
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// asked counts the messages, to make each of them different.
var asked atomic.Int64

// call sends one request and decodes the JSON response.
func (s *server) call(method, path, body string) (answer map[string]any, err error) {
	url := "http://" + s.address + path
	request, err := http.NewRequestWithContext(context.Background(), method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if s.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	}
	if err != nil || len(text) == 0 || text[0] != '{' {
		return nil, err
	}
	return answer, json.Unmarshal(text, &answer)
}

func getText(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n" }

func postText(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

// begin starts a program and waits until it responds.
func (s *server) begin(program string, arguments ...string) error {
	path, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	log, err := os.Create(s.data + ".log")
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	s.command = exec.CommandContext(context.Background(), path, arguments...) //nolint:gosec // named by the caller
	s.command.Stderr = log
	if err := s.command.Start(); err != nil {
		return err
	}
	for range 200 {
		conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", s.address)
		if err == nil {
			time.Sleep(time.Second)
			fmt.Printf("%-10s resident after the start %5.1f MiB\n", s.name, s.resident())
			return conn.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("%s does not listen", s.name)
}

// freeAddress returns an unused TCP address.
func freeAddress() (string, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// many calls do the given number of times, with up to 64 calls at once.
func many(times int, do func(i int) error) error {
	errs := make([]error, 64)
	var group sync.WaitGroup
	for w := range errs {
		group.Go(func() {
			for i := w; i < times && errs[w] == nil; i += len(errs) {
				errs[w] = do(i)
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

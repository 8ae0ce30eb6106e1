package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/examples"
	"github.com/parley-npc/parley/personas/portrait"
	"github.com/parley-npc/parley/personas/wire"
)

// ThrowAwayServer is a local server that runs as long as one command and keeps nothing.
type ThrowAwayServer struct {
	*Service
	Server *localserver.Server
}

// ReadSamples returns the sample personas, the starter first.
func ReadSamples() ([]personafiles.Seed, error) {
	var seeds []personafiles.Seed
	for _, name := range examples.Names() {
		source, err := examples.Read(name)
		if err != nil {
			return nil, fmt.Errorf("sample persona %s: %w", name, err)
		}
		doc, _, faults := personas.Parse(name, source)
		if len(faults) > 0 {
			return nil, fmt.Errorf("sample persona %s: %w", name, faults[0])
		}
		if picture := examples.ReadPortrait(name); picture != nil {
			if doc.Portrait, err = portrait.EncodeURI(picture); err != nil {
				return nil, fmt.Errorf("portrait of the sample persona %s: %w", name, err)
			}
		}
		seeds = append(seeds, personafiles.Seed{Name: name, Doc: doc})
	}
	return seeds, nil
}

// StartThrowAway starts a throw-away server with the options o. Stop ends it.
func (a *Access) StartThrowAway(ctx context.Context, o localserver.Options) (*ThrowAwayServer, error) {
	// Nobody else is there whom a rate limit could protect, or who could direct.
	o.Director = localserver.DirectorOn
	o.Listen, o.Data, o.Version, o.Log = "127.0.0.1:0", localserver.Memory, cli.VersionText(), slog.New(slog.DiscardHandler)
	server, err := localserver.Start(ctx, o)
	if err != nil {
		return nil, ExplainStart("start a throw-away server", err)
	}
	a.noServerLog = true
	t := &ThrowAwayServer{Server: server}
	c, err := a.NewClient(server.URL(), func(context.Context) (string, error) { return server.Token(), nil }, 0)
	if err != nil {
		t.Stop()
		return nil, err
	}
	t.Service = &Service{Client: c, Address: server.URL(), Sessions: NewProcessMemory(), ThrowAway: true}
	return t, nil
}

const stopTimeout = 5 * time.Second

// Stop ends the server; it waits for five seconds at most.
func (t *ThrowAwayServer) Stop() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	_ = t.Server.Shutdown(ctx) // Nothing is kept, so nothing can be lost.
}

// SavePersonas saves and publishes personas and returns the id of the first. It saves the last one
// first, so that the list of the newest shows them in their order.
func (t *ThrowAwayServer) SavePersonas(ctx context.Context, seeds []personafiles.Seed) (first string, err error) {
	for i := len(seeds) - 1; i >= 0; i-- {
		if first, err = t.publishSeed(ctx, seeds[i]); err != nil {
			return "", err
		}
	}
	return first, nil
}

func (t *ThrowAwayServer) publishSeed(ctx context.Context, s personafiles.Seed) (string, error) {
	saved, _, err := t.SavePersona(ctx, "", s.Doc, "")
	if err != nil {
		return "", fmt.Errorf("save %s: %w", s.Name, err)
	}
	if _, err := t.PublishPersona(ctx, saved.ID); err != nil {
		return "", fmt.Errorf("publish %s: %w", s.Name, err)
	}
	return saved.ID, nil
}

// ExplainStart returns the error of a server that did not start, with a hint if one helps. what
// describes the attempt.
func ExplainStart(what string, err error) error {
	if _, ok := errors.AsType[*localserver.LLMError](err); ok {
		return ExplainLLM(err)
	}
	return cli.WrapTrouble(fmt.Errorf("%s: %w", what, err), formatStartHint(err))
}

// addressInUse is the error of Windows for an address that another program listens on, which
// differs from syscall.EADDRINUSE there.
const addressInUse = syscall.Errno(10048)

// formatStartHint returns the next step when a server cannot start, or "".
func formatStartHint(err error) string {
	if errors.Is(err, localserver.ErrDatabaseReadOnly) {
		return "name the primary server in the address, or let the database take writes"
	}
	if !errors.Is(err, syscall.EADDRINUSE) && !errors.Is(err, addressInUse) {
		return ""
	}
	if errors.Is(err, localserver.ErrMetricsAddress) {
		return "another program listens there: take a free port with --metrics-listen"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Addr != nil && isParley(op.Addr.String()) {
		return "parley localserver is running there already: use that one, or take a free port with --listen 127.0.0.1:0 and a folder of its own with --data"
	}
	return "another program listens there: take a free port with --listen 127.0.0.1:0"
}

// isParley reports whether Parley's own server answers at an address within a second.
func isParley(address string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c, err := client.New(client.Options{BaseURL: "http://" + address})
	if err != nil {
		return false
	}
	answer, err := c.WithRetry(client.RetryPolicy{Attempts: 1}).Send(ctx, client.Request{Method: http.MethodGet, Path: "/", NoToken: true})
	var about struct{ Service string }
	return err == nil && json.Unmarshal(answer.Body, &about) == nil && about.Service == wire.LocalService
}

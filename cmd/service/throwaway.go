package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/examples"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/portrait"
	"github.com/parley-npc/parley/personas/wire"
)

// An OwnServer is a local server that runs for the duration of one command.
type OwnServer struct {
	*Service
	Server *localserver.Server
	// Replaced maps ids of personas to the documents that SavePersonas has replaced.
	Replaced map[string]personas.Persona
}

// ReadSamples returns the sample personas. The starter is the first.
func ReadSamples() ([]personafiles.Document, error) {
	var seeds []personafiles.Document
	for _, name := range examples.Names() {
		source, err := examples.Read(name)
		if err != nil {
			return nil, fmt.Errorf("read sample persona %s: %w", name, err)
		}
		doc, _, faults := personas.Parse(name, source)
		if len(faults) > 0 {
			return nil, fmt.Errorf("read sample persona %s: %w", name, faults[0])
		}
		if picture := examples.ReadPortrait(name); picture != nil {
			if doc.Portrait, err = portrait.EncodeURI(picture); err != nil {
				return nil, fmt.Errorf("portrait of the sample persona %s: %w", name, err)
			}
		}
		seeds = append(seeds, personafiles.Document{Name: name, Doc: doc})
	}
	return seeds, nil
}

// StartThrowAway starts a temporary server that stores nothing. Call Stop afterwards.
func (a *Access) StartThrowAway(ctx context.Context, o localserver.Options) (*OwnServer, error) {
	t, err := a.startOwn(ctx, o, datafolder.Memory)
	if err != nil {
		return nil, ExplainStart("start a throw-away server", err)
	}
	return t, nil
}

// keptAddress identifies the server in stored sessions, because each start has a new port.
const keptAddress = "local"

// StartKept starts a server with data in dir, or returns datafolder.ErrBusy for a used dir.
func (a *Access) StartKept(ctx context.Context, o localserver.Options, dir string) (*OwnServer, error) {
	t, err := a.startOwn(ctx, o, dir)
	if err != nil {
		return nil, err
	}
	t.Address, t.Sessions, t.ThrowAway = keptAddress, settings.OpenSessions(dir), false
	return t, nil
}

func (a *Access) startOwn(ctx context.Context, o localserver.Options, data string) (*OwnServer, error) {
	o.Director = localserver.DirectorOn
	o.Listen, o.Data, o.Version, o.Log = "127.0.0.1:0", data, cli.VersionText(), slog.New(slog.DiscardHandler)
	server, err := localserver.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	a.noServerLog = true
	own := &OwnServer{Server: server, Replaced: map[string]personas.Persona{}}
	token := func(context.Context) (string, error) { return server.Token(), nil }
	c, err := a.NewClient(server.URL(), token, OwnTurnTimeout(server))
	if err != nil {
		own.Stop()
		return nil, err
	}
	own.Service = &Service{Client: c, Address: server.URL(), Sessions: settings.NewMemorySessions(), ThrowAway: true}
	return own, nil
}

const turnSlack = 30 * time.Second

// OwnTurnTimeout returns a timeout for a turn that is longer than those of the server's models.
func OwnTurnTimeout(server *localserver.Server) time.Duration { return server.TurnLimit() + turnSlack }

const stopTimeout = 5 * time.Second

// Stop stops the server. The wait lasts at most five seconds.
func (t *OwnServer) Stop() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	_ = t.Server.Shutdown(ctx) // Completed requests are already stored.
}

const maxComparedPersonas = 1000

// SavePersonas publishes personas and returns the id of the first. A stored persona with the same
// name is updated. A single seed always updates a single stored persona.
func (t *OwnServer) SavePersonas(ctx context.Context, seeds []personafiles.Document) (first string, err error) {
	var stored []wire.ListedPersona
	if !t.Server.Empty() {
		page, err := t.PersonaPages(ctx, client.PersonaList{Mine: true, PublicOnly: new(bool)}, maxComparedPersonas)
		if err != nil {
			return "", fmt.Errorf("list the personas: %w", err)
		}
		stored = page.Items
	}
	for i := len(seeds) - 1; i >= 0; i-- { // Lists begin with the newest persona.
		same := func(p wire.ListedPersona) bool {
			return p.Name == seeds[i].Doc.Name || len(seeds) == 1 && len(stored) == 1
		}
		id := ""
		if at := slices.IndexFunc(stored, same); at >= 0 {
			id = stored[at].ID
		}
		if first, err = t.publishSeed(ctx, id, seeds[i]); err != nil {
			return "", err
		}
	}
	return first, nil
}

func (t *OwnServer) publishSeed(ctx context.Context, id string, s personafiles.Document) (string, error) {
	if id != "" {
		same, err := t.isSaved(ctx, id, &s.Doc)
		if err != nil || same {
			return id, err
		}
	}
	saved, _, err := t.SavePersona(ctx, id, s.Doc, "")
	if err != nil {
		return "", fmt.Errorf("save %s: %w", s.Name, err)
	}
	if _, err := t.PublishPersona(ctx, saved.ID); err != nil {
		return "", fmt.Errorf("publish %s: %w", s.Name, err)
	}
	return saved.ID, nil
}

func (t *OwnServer) isSaved(ctx context.Context, id string, doc *personas.Persona) (bool, error) {
	full, err := t.FullPersona(ctx, id)
	if err != nil {
		return false, err
	}
	saved := full.Document()
	same, err := doc.IsSame(&saved)
	if err != nil {
		return false, err
	}
	if !same {
		t.Replaced[id] = saved
	}
	return same && full.Persona.IsPublic, nil
}

// ExplainStart returns the error of a server that failed to start. Known errors get a hint.
func ExplainStart(prefix string, err error) error {
	if _, ok := errors.AsType[*models.SettingsError](err); ok {
		return ExplainLLM(err)
	}
	return cli.WrapTrouble(fmt.Errorf("%s: %w", prefix, err), formatStartHint(err))
}

const windowsAddressInUse = syscall.Errno(10048)

func formatStartHint(err error) string {
	if errors.Is(err, store.ErrStandby) {
		return "use the address of the primary server, or make the database writable"
	}
	if !errors.Is(err, syscall.EADDRINUSE) && !errors.Is(err, windowsAddressInUse) {
		return ""
	}
	if errors.Is(err, localserver.ErrMetricsAddress) {
		return "another program uses the metrics address: choose a free port with --metrics-listen"
	}
	return "another program, perhaps parley localserver, uses the server's address: " +
		"use that server, or start another one with --listen 127.0.0.1:0 and a separate --data folder"
}

// A TestService is a service for playing play-throughs.
type TestService struct {
	*Service
	Local *OwnServer
	// Players sends the requests of players. A temporary server gets no token, to save time.
	Players playtest.Service
	mu      sync.Mutex
	saved   []string
}

// Close stops a temporary server, or deletes the saved personas from another service.
func (t *TestService) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if t.Local != nil {
		return t.Local.Server.Shutdown(ctx)
	}
	for _, id := range t.saved {
		_ = t.DeletePersona(ctx, id) // The service may be gone.
	}
	return nil
}

// PreparePersona saves a persona for playing.
func (t *TestService) PreparePersona(ctx context.Context, doc *personas.Persona) (*playtest.Subject, error) {
	saved, _, err := t.SavePersona(ctx, "", doc, "")
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.saved = append(t.saved, saved.ID)
	t.mu.Unlock()
	if t.Local != nil {
		if _, err := t.PublishPersona(ctx, saved.ID); err != nil {
			return nil, err
		}
	}
	full, err := t.FullPersona(ctx, saved.ID)
	if err != nil {
		return nil, err
	}
	return playtest.NewSubject(saved.ID, doc, full.Machines)
}

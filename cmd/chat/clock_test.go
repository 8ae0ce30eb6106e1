//go:build !windows

package chat_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
)

// clock is a clock that only moves on request.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	alarms []alarm
}

type alarm struct {
	at   time.Time
	rung chan time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After rings when so much time has passed.
func (c *clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := alarm{c.now.Add(d), make(chan time.Time, 1)}
	c.alarms = append(c.alarms, a)
	c.ring()
	return a.rung
}

// pass advances the clock.
func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.ring()
}

// until advances the clock, by less than a second in ever smaller steps, until the screen shows a text.
func (c *clock) until(t *testing.T, screen vt10x.Terminal, text string) {
	t.Helper()
	for i := range 900 {
		if strings.Contains(screen.String(), text) {
			return
		}
		c.pass(time.Millisecond)
		time.Sleep(time.Millisecond * time.Duration(1+i/20))
	}
	cmdtest.WaitForText(t, screen, text)
}

func (c *clock) ring() {
	c.alarms = slices.DeleteFunc(c.alarms, func(a alarm) bool {
		due := !a.at.After(c.now)
		if due {
			a.rung <- c.now
		}
		return due
	})
}

// direct is the service as the screen calls it, each failure at once.
type direct struct{ *client.Client }

func (d direct) Published(ctx context.Context) ([]wire.PersonaItem, error) {
	return d.Personas(ctx, client.PersonaList{})
}

func (d direct) HistoryAtOnce(ctx context.Context, persona, userSession, machine string) (wire.History, error) {
	return d.History(ctx, persona, userSession, machine)
}

// nowhere is a memory that keeps nothing.
type nowhere struct{}

func (nowhere) Recall(string) (conversation.SavedSession, bool) {
	return conversation.SavedSession{}, false
}
func (nowhere) Remember(conversation.SavedSession) error       { return nil }
func (nowhere) Sessions() ([]conversation.SavedSession, error) { return nil, nil }
func (nowhere) Rename(string, string, string) error            { return nil }
func (nowhere) Forget(string, string) error                    { return nil }

// TestRateLimitOnTheRealScreen: a real limit counts down on a terminal, and the words are sent once after it.
func TestRateLimitOnTheRealScreen(t *testing.T) {
	t.Parallel()
	stage := newServerFixture(t, nil, "--fault", "status=429,retry-after=90,every=2,path=/message")
	outside, inside, err := pty.Open()
	assert.NoError(t, err)
	assert.NoError(t, pty.Setsize(inside, &pty.Winsize{Rows: 24, Cols: 90}))
	screen, time0 := vt10x.New(vt10x.WithSize(90, 24)), &clock{now: time.Unix(1_800_000_000, 0)}
	go cmdtest.FollowScreen(outside, screen, make(chan []byte, 1))
	ended := make(chan error, 1)
	go func() {
		ended <- tui.Run(t.Context(), tui.Options{
			Options: conversation.Options{
				Service: direct{cmdtest.NewClient(t, stage.Address, "")}, Memory: nowhere{}, Persona: stage.persona,
				PlayerName: "Mara", PlayerGender: "female", NewID: numbered("id"), Now: time0.Now, After: time0.After,
			},
			In: inside, Out: inside, Theme: views.ThemeDark,
		})
	}()
	press := func(keys string) {
		t.Helper()
		assert.Value(outside.WriteString(keys))(t)
	}
	cmdtest.WaitForText(t, screen, "Say something")
	press("one")
	time0.until(t, screen, "› one")
	press("\r")
	time0.until(t, screen, "An echo of one.")
	press("two")
	time0.until(t, screen, "› two")
	press("\r")
	time0.until(t, screen, "again in 1 min 30 s (Esc stops): the rate limit is reached")
	cmdtest.WaitForText(t, screen, "waits: two")
	for _, step := range []struct {
		passes time.Duration
		shows  string
	}{{30 * time.Second, "again in 1 min 0 s"}, {time.Second, "again in 59 s"}, {57 * time.Second, "again in 2 s"}, {time.Second, "again in 1 s"}} {
		time0.pass(step.passes)
		cmdtest.WaitForText(t, screen, step.shows)
	}
	assert.EqualSlices(t, stage.said("id-1"), []string{"one"}, "before the wait is over the server has kept")
	time0.pass(time.Second)
	time0.until(t, screen, "An echo of two.")
	stage.keeps("id-1", "one", "two")
	press("\x04")
	select {
	case err := <-ended:
		assert.NoError(t, err)
	case <-time.After(cmdtest.Patience):
		t.Errorf("the chat never ends:\n%s", screen.String())
	}
}

// numbered makes ids: id-1, id-2.
func numbered(word string) func() string {
	var mu sync.Mutex
	n := 0
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return word + "-" + string(rune('0'+n))
	}
}

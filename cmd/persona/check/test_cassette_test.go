package check_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
)

// The rehearsal of the hotel: the play file, the recorded answers of a model, and the players'
// view.
const (
	hotelPlays      = "testdata/cassette/hotel.play.yaml"
	hotelCassette   = "testdata/cassette/hotel.cassette.jsonl"
	hotelTranscript = "testdata/cassette/hotel.transcript"
)

// clerk is a model that plays the night clerk sensibly: it knows the intent of hotelPlays, and speaks in pieces.
func clerk(r llmtest.Request) llmtest.Script {
	s := llmtest.Script{In: len(r.System) / 4, Out: 20, Slices: 7}
	switch r.SchemaName {
	case "evaluation":
		s.Text = clerkJudges(r)
	case "values":
		s.Text = clerkNotes(r)
	default:
		s.Pieces = clerkSpeaks(r)
	}
	return s
}

// clerkVerdicts are the clerk's verdicts on the messages.
var clerkVerdicts = map[string]string{
	"How old": "redirect", "My train": "pass", "The whistling": "pass", "I take": "pass", "Good lift": "pass", "Goodbye": "pass",
	"A room": "follow_up", "That is none": "reject", "I flip": "kick_out",
}

func clerkJudges(r llmtest.Request) string {
	verdict := ""
	for beginning, decision := range clerkVerdicts {
		if strings.HasPrefix(r.PlayerSaid(), beginning) {
			verdict = decision
		}
	}
	return r.JudgedAs(cmp.Or(verdict, "redirect"))
}

// clerkNotes fills in the values that occur in the conversation.
func clerkNotes(r llmtest.Request) string {
	values := map[string]any{}
	for name, found := range map[string][2]string{"purpose": {"My train was cancelled", "a cancelled train"}, "tale": {"lantern", "the lantern"}} {
		drawn := regexp.MustCompile(`"([a-z]+-` + name + `)"`).FindStringSubmatch(string(r.Schema))
		if drawn == nil {
			continue
		}
		values[drawn[1]] = nil
		if strings.Contains(r.LastMessage(), found[0]) {
			values[drawn[1]] = found[1]
		}
	}
	text, err := json.Marshal(values)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func clerkSpeaks(r llmtest.Request) []string {
	known := func(name string) string {
		m := regexp.MustCompile(`«` + name + `» = "([^"]*)"`).FindStringSubmatch(r.Messages[0].Text)
		if m == nil {
			return "nothing"
		}
		return m[1]
	}
	said := len(r.Messages)
	return []string{"*The pencil ", "scratches.* So, ", known("player_name"), ": ", known("purpose"), fmt.Sprintf(". That is line %d", said), " in the book. 🛎"}
}

// onStage is a server on which the sample hotel is published, with its id.
func onStage(t *testing.T, l models.Settings) (*client.Client, string, *localserver.Server) {
	t.Helper()
	server := assert.Value(localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, LLM: l}))(t)
	t.Cleanup(func() { _ = server.Close() })
	c := assert.Value(client.New(client.Options{BaseURL: server.URL(), Token: server.Token()}))(t)
	source := assert.Value(os.ReadFile("../../../personas/examples/hotel.yaml"))(t)
	doc, _, faults := personas.Parse("hotel.yaml", source)
	assert.Empty(t, faults)
	saved, _, err := c.SavePersona(t.Context(), "", doc, "")
	if err == nil {
		_, err = c.PublishPersona(t.Context(), saved.ID)
	}
	assert.NoError(t, err)
	return c, saved.ID, server
}

func hotelFile(t *testing.T) playtest.File {
	t.Helper()
	source := assert.Value(os.ReadFile(hotelPlays))(t)
	f, _, faults := playtest.Parse(hotelPlays, source)
	assert.Empty(t, faults)
	return f
}

func transcript(t *testing.T, c *client.Client, persona, player string) string {
	t.Helper()
	f := hotelFile(t)
	var out strings.Builder
	for i := range f.Plays {
		p := &f.Plays[i]
		fmt.Fprintf(&out, "== %s\n", p.Title())
		user, machine := fmt.Sprint(player, i), ""
		if !p.Steps[0].Start {
			machine = "check-in"
			begin(t, &out, c, persona, machine, user, p.Player)
		}
		for _, s := range p.Steps {
			if s.Start {
				machine = s.Machine
				begin(t, &out, c, persona, machine, user, p.Player)
				continue
			}
			fmt.Fprintf(&out, "> %s\n", s.Say)
			pieces := 0
			reply, err := c.StreamMessage(t.Context(), persona, machine, wire.Message{UserSessionID: user, Message: s.Say}, func(text string) error {
				pieces++
				_, err := fmt.Fprintf(&out, "  %q\n", text)
				return err
			})
			assert.NoError(t, err)
			assert.True(t, pieces >= 2, "%q is answered in %d pieces", s.Say, pieces)
			reply.SessionID, reply.Unlocked = "", make(wire.UnlockedMachines, len(reply.Unlocked))
			text := assert.Value(json.Marshal(reply))(t)
			fmt.Fprintf(&out, "  %s\n", text)
		}
	}
	return out.String()
}

func begin(t *testing.T, out *strings.Builder, c *client.Client, persona, machine, user string, p playtest.Player) {
	t.Helper()
	opening, err := c.InitSession(t.Context(), persona, machine, wire.InitSession{UserSessionID: user, PlayerName: p.Name, PlayerGender: p.Gender})
	assert.NoError(t, err)
	fmt.Fprintf(out, "[%s]\n  %q\n", machine, opening.Message)
}

func recordHotel(t *testing.T) {
	t.Helper()
	actor := httptest.NewServer(llmtest.New(clerk))
	defer actor.Close()
	_ = os.Remove(hotelCassette)
	c, persona, server := onStage(t, models.Settings{
		Model: "openai/gpt-4o", BaseURL: actor.URL, Record: hotelCassette,
		Env: func(name string) string { return map[string]string{"OPENAI_API_KEY": "sk-of-the-double-123456"}[name] },
	})
	text := transcript(t, c, persona, "recorded")
	assert.NoError(t, server.Close())
	assert.NoError(t, os.WriteFile(hotelTranscript, []byte(text), 0o644))
}

// TestHotelFromCassette: the three machines of the hotel are played from the
// recording, with no model anywhere, and players see the same to the letter, piece
// by piece. When prompts, the hotel or the plays change it is recorded again:
//
//	go test ./cmd/persona/check -run TestHotelFromCassette -update
func TestHotelFromCassette(t *testing.T) {
	t.Parallel()
	if assert.Updating() {
		recordHotel(t)
	}
	want := assert.Value(os.ReadFile(hotelTranscript))(t)
	c, persona, server := onStage(t, models.Settings{Replay: hotelCassette})
	for i := range 2 {
		assert.Equal(t, transcript(t, c, persona, fmt.Sprint("player", i)), string(want), "it is now (-update records it anew)")
	}
	r := server.Recording()
	assert.Equal(t, len(r.Unused), 0, "nobody asked for %q; note %q", r.Unused, r.Note)
	assert.Equal(t, r.Note, "", "nobody asked for %q; note %q", r.Unused, r.Note)
}

func TestManyFromCassette(t *testing.T) {
	t.Parallel()
	c, persona, _ := onStage(t, models.Settings{Replay: hotelCassette})
	var group sync.WaitGroup
	texts := make([]string, 8)
	for i := range texts {
		group.Go(func() { texts[i] = transcript(t, c, persona, fmt.Sprint("many", i)) })
	}
	group.Wait()
	assert.Equal(t, len(slices.Compact(texts)), 1, "transcripts")
}

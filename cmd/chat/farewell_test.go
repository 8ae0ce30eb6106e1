package chat

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/conversation"
)

func TestFarewellNamesTheCommand(t *testing.T) {
	for _, c := range []struct {
		name, named, opened string
		given               []string
		bye                 conversation.Farewell
		fleeting            bool
		want                string
	}{
		{"chosen", "", "", nil, conversation.Farewell{Persona: "id-1", Name: "Biscuit"}, false, "To go on: parley chat Biscuit\n"},
		{"with a space", "", "", nil, conversation.Farewell{Persona: "id-2", Name: "Old Sam"}, false, "To go on: parley chat 'Old Sam'\n"},
		{"a name that is a file", "", "", nil, conversation.Farewell{Persona: "id-5", Name: "chat.go"}, false, "To go on: parley chat id-5\n"},
		{"a name for a shell", "", "", nil, conversation.Farewell{Persona: "id-6", Name: "$(x)"}, false, "To go on: parley chat id-6\n"},
		{"as it was typed", "bisc", "id-1", []string{"--server", "http://a b", "--plain", "--new", "--player-name", "Kim"}, conversation.Farewell{Persona: "id-1", Name: "Biscuit", HasDraft: true}, false,
			"Your unfinished message is kept for the next chat.\nTo go on: parley chat bisc --plain --server 'http://a b'\n"},
		{"another one than was typed", "bisc", "id-1", nil, conversation.Farewell{Persona: "id-2", Name: "Old Sam"}, false, "To go on: parley chat 'Old Sam'\n"},
		{"a file", "it's.yaml", "id-1", []string{"--player-name", "Old Kim"}, conversation.Farewell{Persona: "id-1", Name: "Biscuit", HasDraft: true}, true,
			`This chat was not saved. To start a new chat: parley chat 'it'\''s.yaml' --player-name 'Old Kim'` + "\n"},
		{"samples", "", "", []string{"--local"}, conversation.Farewell{Persona: "id-1", Name: "Biscuit"}, true, "This chat was not saved. To start a new chat: parley chat Biscuit --local\n"},
		{"kept samples", "", "", []string{"--local", "--player-name", "Kim"}, conversation.Farewell{Persona: "id-1", Name: "Biscuit"}, false, "To go on: parley chat Biscuit --local\n"},
		{"nobody", "", "", nil, conversation.Farewell{}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var said bytes.Buffer
			o := &chatOptions{Access: &service.Access{Environment: &service.Environment{Streams: &cli.Streams{Err: &said}}}, named: c.named}
			p := &place{service: &service.Service{ThrowAway: c.fleeting}, persona: c.opened}
			command := &cobra.Command{}
			flags := command.Flags()
			for _, name := range []string{"plain", "new", "local"} {
				flags.Bool(name, false, "")
			}
			for _, name := range []string{"server", "player-name"} {
				flags.String(name, "", "")
			}
			assert.NoError(t, flags.Parse(c.given))
			o.given = listGivenFlags(command)
			if o.sayFarewell(p, c.bye); said.String() != c.want {
				t.Errorf("it says %q, want %q", said.String(), c.want)
			}
		})
	}
}

// fallen is a throw-away server that has ended unexpectedly.
type fallen struct{ err error }

func (f fallen) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

func (f fallen) Err() error { return f.err }

// TestChatEndsWithItsServer: a chat ends with the error of its throw-away server.
func TestChatEndsWithItsServer(t *testing.T) {
	t.Parallel()
	broke := errors.New("the server broke")
	ctx, over := withServer(t.Context(), fallen{broke})
	defer over()
	<-ctx.Done()
	assert.ErrorIs(t, context.Cause(ctx), broke, "the chat ends")
}

package lines

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/tui/conversation"
)

// spokenAfter returns the output for a person who types the lines, from a text on.
func spokenAfter(t *testing.T, from, in string, change func(*linePlay)) string {
	t.Helper()
	p := newLinePlay()
	if change != nil {
		change(p)
	}
	got := p.person(t, in, never, nil)
	_, after, found := strings.Cut(got, from)
	assert.Must(t, found, "it never says %q:\n%s", from, got)
	return after
}

// TestPlainState: the player's state, score, tries and parts are printed without the panel's signs.
func TestPlainState(t *testing.T) {
	got := spokenAfter(t, playwords.FreeTalkButNo+"\n", "/state|/quit", nil)
	want := `Now: At the gate.
Score 0 of 2.
3 tries here.
1. The gate: begun.
2. ???: closed, opens when you make it in The gate.
3. ???: closed, opens later.
`
	assert.Equal(t, got, want, "it")
}

func TestPlainSearch(t *testing.T) {
	got := spokenAfter(t, "In the yard.\n", "pass|/search|/search YARD nowhere|/search said pass|/quit", nil)
	want := `Score 1 of 2. That was +1.
New step: 2 tries of its own.
Write /search and the words to look for.
No message contains these words.
Mira: You said: pass. Here is what I think about it.
`
	assert.Equal(t, got, want, "it")
}

// TestPlainPersonas: another persona is found by unique words or by number; the player's name stays.
func TestPlainPersonas(t *testing.T) {
	got := spokenAfter(t, playwords.FreeTalkButNo+"\n", "/personas|/personas the|/personas merchant|/personas zebra|/personas 2|/personas 1|/quit", nil)
	want := `1. Mira: Guards the gate of a small town, and what lies below it.
2. Oskar: A merchant who never pays the first price.
1. Mira: Guards the gate of a small town, and what lies below it.
2. Oskar: A merchant who never pays the first price.
The persona was not changed: there is no persona oskar.
No persona matches these words. Write a number from 1 to 2, or other words.
The persona was not changed: there is no persona oskar.
Talking to Mira in The gate as Alex.
Going on where you were, after 1 message; /history prints them.
`
	assert.True(t, strings.HasPrefix(got, want), "it says\n%s\nwant\n%s", got, want)
}

// Sessions are named and forgotten by number. The present session cannot be forgotten.
func TestPlainSessionsChange(t *testing.T) {
	got := spokenAfter(t, "New step: 2 tries of its own.\n", "pass|/new|/sessions name 1 Winter|/sessions forget 2|/sessions forget x|/sessions|/sessions name 1|/sessions name 1 "+strings.Repeat("x", conversation.MaxLabel+1)+"|/sessions forget 1|/sessions|/quit", nil)
	want := `Talking to Mira in The gate as Alex.
Your aim: Talk the guard into it.
What you say wins or costs points; 2 by the end and you make it.
Mira: Halt, Alex!
  Who goes there, and what do you want in The gate?
Now: At the gate.
Score 0 of 2.
3 tries here.
The session is now called Winter.
This is the present session: /new starts another, /reset clears it.
Session "x" does not exist: /sessions lists the sessions, and /sessions 1 resumes the first.
1. Winter, The gate, score 1 of 2, with Mira as Alex. Said last: You said: pass. Here is what I think about it.
2. Mira, The gate, score 0 of 2, as Alex, here. Said last: Halt, Alex! Who goes there, and what do you want in The gate?
The session no longer has a name.
A session's name can have at most 60 characters.
The session is no longer in the list; its messages stay on the service.
1. Mira, The gate, score 0 of 2, as Alex, here. Said last: Halt, Alex! Who goes there, and what do you want in The gate?
`
	assert.Equal(t, got, want, "it")
}

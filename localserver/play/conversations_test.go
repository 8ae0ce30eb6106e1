package play

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
)

const conversationsHead = `# Conversations without a model

Golden file of the offline model's replies. The players' messages are in conversations/; their writers knew a character's name, description
and task, but not its examples. A reply is followed by what it decided, unless the message was an aside. Machines that end begin again.
`

// TestConversationsDocument plays the conversations and compares them with the golden file.
func TestConversationsDocument(t *testing.T) {
	files, err := filepath.Glob("testdata/conversations/*.txt")
	assert.Must(t, err == nil && len(files) >= 10, "%d conversations, %v", len(files), err)
	page := bytes.NewBufferString(conversationsHead)
	for i, file := range files {
		src := assert.Value(os.ReadFile(file))(t)
		head, said, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(string(src), "\r\n", "\n")), "\n")
		_, character, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txt"), "-")
		messages := strings.Split(said, "\n")
		assert.Equal(t, len(messages), 20, "%s messages", file)
		player, manner, _ := strings.Cut(strings.TrimPrefix(head, "# "), ", ")
		doc := findSample(t, character)
		fmt.Fprintf(page, "\n## %d. %s (%s) and %s\n\n```text\n", i+1, player, manner, doc.Name)
		playMessages(t, page, doc, player, messages)
		page.WriteString("```\n")
	}
	assert.Golden(t, filepath.Join("testdata", "conversations.md"), page.Bytes())
}

func findSample(t *testing.T, character string) personas.Persona {
	t.Helper()
	for _, name := range examples.Names() {
		src := assert.Value(examples.Read(name))(t)
		doc, _, faults := personas.Parse(name+".yaml", src)
		assert.Empty(t, faults)
		if strings.HasPrefix(doc.Name, character) {
			return doc
		}
	}
	t.Fatalf("no sample is called %s", character)
	return personas.Persona{}
}

func playMessages(t *testing.T, page *bytes.Buffer, doc personas.Persona, player string, messages []string) {
	t.Helper()
	st := newServiceFixture(t, store.Normal)
	st.save(doc)
	open := func() {
		o := assert.Value(st.Open(context.Background(), OpenRequest{Ref: st.ref(""), PlayerName: player, PlayerGender: "non-binary"}))(t)
		printMessage(page, doc.Name, o.Message)
	}
	open()
	for i, message := range messages {
		printMessage(page, player, message)
		r := st.say("", message)
		printMessage(page, doc.Name, r.Message)
		if done := describeReply(&doc, &r); done != "" {
			fmt.Fprintf(page, "    [%s]\n", done)
		}
		if r.MachineCompleted && i < len(messages)-1 {
			page.WriteString("\n")
			open()
		}
	}
}

func printMessage(page *bytes.Buffer, who, said string) {
	fmt.Fprintf(page, "%s: %s\n", who, strings.Join(strings.Fields(said), " "))
}

// describeReply describes a reply's decision; "" for an aside.
func describeReply(doc *personas.Persona, r *Reply) string {
	switch {
	case r.Aside:
		return ""
	case r.FollowUp:
		return "asks back"
	}
	at := r.CurrentState
	for i := range doc.Machines {
		for j := range doc.Machines[i].States {
			if s := &doc.Machines[i].States[j]; s.Key == r.CurrentState {
				at = s.Title()
			}
		}
	}
	if r.Outcome != nil {
		return fmt.Sprintf("%s; ended: %s", textOf[string](r.Decision), *r.Outcome)
	}
	return fmt.Sprintf("%s; now: %s", cmp.Or(textOf[string](r.Decision), "redirect"), at)
}

package record

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/tuitest"
)

// played is a record with everything hostile in it that a service can say.
func played(t testing.TB) *Record {
	t.Helper()
	s := tuitest.NewService()
	say := func(text string) {
		assert.Value(s.SendMessage(t.Context(), "mira", "m-gate", wire.Message{Message: text}))(t)
	}
	assert.Value(s.InitSession(t.Context(), "mira", "m-gate", wire.InitSession{PlayerName: "Alex"}))(t)
	say("pass, I am a friend")
	say("redi and a question about the well")
	s.Answer = "Look: **bold**, `code <b>`\n\n<script>alert(1)</script> <img src=x onerror=y> [go](javascript:x) " +
		"![p](https://evil.example/p.png) <https://a.example>\n\n- one\n- two \x1b]0;t\a\u009b2J\u202e"
	say("pass # not a *heading* <b>\n1. nor a list & ~~that~~")
	r := assert.Value(ReadRecord(t.Context(), s, "mira", "u-1"))(t)
	return r
}

func TestRecordFormats(t *testing.T) {
	r := played(t)
	for _, f := range Formats() {
		var written strings.Builder
		assert.NoError(t, f.Write(r, &written))
		text := written.String()
		assert.Golden(t, filepath.Join("testdata", "record-"+f.Name+".golden"), text)
		for _, c := range text {
			assert.True(t, !terminal.IsObeyed(c) || c == '\n', "%s has the control character %U", f.Name, c)
		}
		assert.NotContains(t, text, "u-1", "%s gives the player's session id away", f.Name)
	}
}

func TestRecordJSONRoundTrip(t *testing.T) {
	r := played(t)
	var text bytes.Buffer
	assert.NoError(t, r.writeJSON(&text))
	var back recordJSON
	assert.NoError(t, json.Unmarshal(text.Bytes(), &back))
	assert.Equal(t, len(back.Machines[0].Messages), r.Messages(), "messages")
	for i, m := range back.Machines[0].Messages {
		assert.Equal(t, m.Content, r.Chapters[0].Messages[i].Content, "message %d", i)
		assert.Equal(t, m.StateKeyAtTime, r.Chapters[0].Messages[i].StateKeyAtTime, "message %d", i)
	}
	assert.Equal(t, escapeControls("\U000e0001"), `\udb40\udc01`, "two halves")
}

func TestRecordHTMLIsInert(t *testing.T) {
	var text strings.Builder
	assert.NoError(t, played(t).writeHTML(&text))
	page := strings.ToLower(text.String())
	for _, active := range []string{"<script", "<img", "<a ", "href=", "<iframe", "url("} {
		assert.NotContains(t, page, active, "the page")
	}
	for _, wanted := range []string{"<strong>bold</strong>", "&lt;script&gt;alert(1)&lt;/script&gt;", "<li>one</li>",
		"(https://evil.example/p.png)", "prefers-color-scheme: dark", "@media print"} {
		assert.Contains(t, page, wanted, "the page lacks")
	}
}

// TestRecordHTMLShowsNumbers: a character reference in a reply never becomes a raw control character.
func TestRecordHTMLShowsNumbers(t *testing.T) {
	page := string(wordsHTML(&ToldMessage{Text: "a &#27;c &#x9b;2J &#x202e;b &shy;"}))
	assert.True(t, !strings.ContainsFunc(strings.ReplaceAll(page, "\n", ""), terminal.IsObeyed), "%q", page)
	assert.Contains(t, page, "␛c")
}

func TestNothingSaid(t *testing.T) {
	_, err := ReadRecord(t.Context(), tuitest.NewService(), "mira", "u-1")
	assert.ErrorIs(t, err, ErrNothingSaid)
}

// FuzzRecordMarkdown: the Markdown contains no raw HTML, and a player's words parse back as typed.
func FuzzRecordMarkdown(f *testing.F) {
	for _, text := range []string{"<b>x</b>", "a\n<div>\n*x*\n</div>", "`<b>`", "<!-- c -->", "    <b>", "1. x\n# y", "<a\n<b>",
		"\\<b>", "&lt;", "```\n<b>\n```\n<b>", "- - <p>", "[x]: <y>\n[x]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean := terminal.CleanLines(text)
		for _, written := range []string{withoutHTML(clean), asTyped(clean)} {
			var b strings.Builder
			assert.NoError(t, goldmark.Convert([]byte(written), &b))
			assert.NotContains(t, b.String(), "<!-- raw HTML omitted -->", "%q is written as %q, which has raw HTML", text, written)
		}
	})
}

// FuzzRecordHTML: for any messages, the page is inert.
func FuzzRecordHTML(f *testing.F) {
	for _, text := range []string{"<script>", "![x](y)", "[x](javascript:y)", "<https://x.example>", "*x*<b>", "\"'>", "```html\n<b>\n```"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, player bool) {
		out := strings.ToLower(string(wordsHTML(&ToldMessage{Text: terminal.CleanLines(text), Player: player})))
		for rest := out; ; {
			_, after, found := strings.Cut(rest, "<")
			if !found {
				return
			}
			name := strings.TrimLeft(after, "/")
			if i := strings.IndexAny(name, " >\n/"); i >= 0 {
				name = name[:i]
			}
			assert.Must(t, strings.Contains(" p br em strong code pre ul ol li blockquote hr h1 h2 h3 h4 h5 h6 ", " "+name+" "),
				"%q becomes the element %q in %q", text, name, out)
			rest = after
		}
	})
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{"Mira": "mira", "Hobb  Tansy!": "hobb-tansy", "../../etc/passwd": "etc-passwd", "Ünal 日本": "ünal-日本",
		"\x1b": "conversation", "": "conversation",
		strings.Repeat("a", 50): strings.Repeat("a", 40)} {
		assert.Equal(t, FileSlug(name), want, name)
	}
}

func TestExportArgs(t *testing.T) {
	cases := []struct{ arg, format, file string }{
		{"", "md", ""}, {"md", "md", ""}, {"HTML", "html", ""}, {"json  a b.txt", "json", "a b.txt"},
		{"x.markdown", "md", "x.markdown"}, {"dir/a b.htm", "html", "dir/a b.htm"}, {"pdf", "", ""}, {"a.pdf", "", ""},
	}
	for _, c := range cases {
		f, file, err := parseExportArgs(c.arg)
		assert.Equal(t, f.Name, c.format, "%q %v", c.arg, err)
		assert.Equal(t, file, c.file, "%q %v", c.arg, err)
		assert.Equal(t, err != nil, c.format == "", "%q %v", c.arg, err)
	}
}

func TestMaskText(t *testing.T) {
	a := anonymiser{standIns: map[string]string{}, counts: map[string]int{}}
	a.addName("Mara Lind")
	a.addName("Äva")
	for _, c := range []struct{ text, want string }{
		{"Hello Mara, hello MARA LIND!", "Hello Player 1, hello Player 1!"},
		{"Maraschino, Amara and mara's", "Maraschino, Amara and Player 1's"},
		{"äva and Ävas", "Player 2 and Ävas"},
		{"write to mara@lind.example.com, please", "write to [email 1], please"},
		{"or to Mara@Lind.example.com", "or to [email 1]"},
		{"see https://example.com/mara?x=1 and www.example.org", "see [url 1] and [url 2]"},
		{"call +49 (170) 123-4567 or 49 170 1234567", "call [number 1] or [number 2]"},
		{"page 212 of 9999", "page 212 of 9999"},
		{"card 12345, 12345", "card [number 3], [number 3]"},
	} {
		assert.Equal(t, a.maskText(c.text), c.want, "%q became", c.text)
	}
}

// TestMaskNames: names of any length are replaced, and stand-ins are not searched for names.
func TestMaskNames(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"李", "李, 我是李。行李", "Player 1, 我是Player 1。行Player 1"},
		{"É", "É, é or École", "Player 1, Player 1 or École"},
		{"Ø", "hi Ø", "hi Player 1"},
		{"I", "I think it is mine, i do", "Player 1 think it is mine, i do"},
		{"a", "A friend of a cat", "A friend of Player 1 cat"},
		{" Bo ", "Bo Bo,bo", "Player 1 Player 1,Player 1"},
		{"Player", "Player plays", "Player 1 plays"},
		{"url", "the url http://x.example/url", "the Player 1 [url 1]"},
		{"number", "number 12345", "Player 1 [number 1]"},
		{"Ann Lee", "Ann Leeds, Ann Lee@x.example and ann", "Player 1 Leeds, Player 1 [email 1] and Player 1"},
		{"Kim12345", "Kim12345 has 12345 and 1", "Player 1 has [number 1] and 1"},
		{"Ann", "+1 555 0100 1234 5678 9a@b.example, Ann", "[number 1][email 1], Player 1"},
		{"1", "1 and 21", "Player 1 and 21"},
		{"", "nobody", "nobody"},
	} {
		a := anonymiser{standIns: map[string]string{}, counts: map[string]int{}}
		a.addName(c.name)
		assert.Equal(t, a.maskText(c.text), c.want, "%q became", c.text)
	}
}

// TestAnonymise checks that the anonymised record contains no data of the player in any format.
func TestAnonymise(t *testing.T) {
	gate, cellar := chapter("gate", "I am Mara Lind, mara@example.com"), chapter("cellar", "Mara again")
	at := wire.Time{Time: time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)}
	for i, ch := range []*Chapter{&gate, &cellar} {
		ch.PlayerName, ch.PlayerGender, ch.SessionID, ch.MachineID, ch.PersonaID = "Mara Lind", "female", "secret-session", "secret-machine", "secret-persona"
		ch.StartedAt, ch.LastMessageAt = at, at
		for j := range ch.Messages {
			ch.Messages[j].ID, ch.Messages[j].CreatedAt = strings.Repeat("secret-message", 1+i+j), at
		}
	}
	r := &Record{PersonaID: "secret-persona", PersonaName: "Mira", PlayerName: "Mara Lind", PlayerGender: "female", Chapters: []Chapter{gate, cellar}}
	r.Anonymise()
	var b strings.Builder
	assert.NoError(t, r.writeJSON(&b))
	for _, word := range []string{"Mara", "Lind", "female", "secret", "2026", "example.com"} {
		assert.NotContains(t, b.String(), word)
	}
	for _, word := range []string{`"player_name": "Player 1"`, `"I am Player 1, [email 1]"`, `"Player 1 again"`, `"re Player 1 again"`,
		`"persona_name": "Mira"`, `"session_id": "session-1"`} {
		assert.Contains(t, b.String(), word)
	}
}

func chapter(key string, said ...string) Chapter {
	ch := Chapter{MachineKey: key}
	ch.Messages = append(ch.Messages, wire.HistoryMessage{Role: wire.RoleAssistant, StateKeyAtTime: "s"})
	for _, words := range said {
		ch.Messages = append(ch.Messages, wire.HistoryMessage{Role: wire.RoleUser, Content: words},
			wire.HistoryMessage{Role: wire.RoleAssistant, StateKeyAtTime: "s", Content: "re " + words})
	}
	return ch
}

func TestCompareRecords(t *testing.T) {
	ended := chapter("gate", "a", "b")
	ended.Outcome = new("ACCEPT")
	reworded := chapter("gate", "a", "b")
	reworded.Messages[4].Content = "other words"
	for name, c := range map[string]struct {
		a, b      []Chapter
		common    int
		machine   string
		turn      int
		has, has2 bool // whether the branches have the turn
	}{
		"nothing differs":   {[]Chapter{ended}, []Chapter{ended}, 2, "", 0, false, false},
		"one goes on":       {[]Chapter{ended, chapter("cellar", "x")}, []Chapter{ended}, 2, "cellar", 1, true, false},
		"the other goes on": {[]Chapter{ended}, []Chapter{ended, chapter("cellar", "x")}, 2, "cellar", 1, false, true},
		"in the middle":     {[]Chapter{chapter("gate", "a", "c", "b")}, []Chapter{chapter("gate", "a", "b")}, 1, "gate", 2, true, true},
		"one ended":         {[]Chapter{ended}, []Chapter{chapter("gate", "a", "b")}, 1, "gate", 2, true, true},
		"another reply":     {[]Chapter{reworded}, []Chapter{chapter("gate", "a", "b")}, 1, "gate", 2, true, true},
		"a later part is alike": {[]Chapter{chapter("gate", "b"), chapter("cellar", "x")},
			[]Chapter{chapter("gate"), chapter("cellar", "x")}, 1, "gate", 1, true, false},
	} {
		got := CompareRecords(&Record{Chapters: c.a}, &Record{Chapters: c.b}, wire.Branch{Turn: 1}, wire.Branch{Turn: 2})
		machine, turn := "", 0
		if got.MachineKey != nil {
			machine, turn = *got.MachineKey, *got.Turn
		}
		assert.Equal(t, got.Common, c.common, name)
		assert.Equal(t, machine, c.machine, name)
		assert.Equal(t, turn, c.turn, name)
		assert.Equal(t, got.Branches[0].Next != nil, c.has, name)
		assert.Equal(t, got.Branches[1].Next != nil, c.has2, name)
		assert.Equal(t, got.Branches[1].Now.Turn, 2, name)
	}
}

func TestOtherBranch(t *testing.T) {
	root, gone := "1", "9"
	list := []wire.Branch{{UserSessionID: "1"}, {UserSessionID: "2", Parent: &root}, {UserSessionID: "3", Parent: &gone}}
	for here, want := range []int{2, 0, 1} {
		assert.Equal(t, OtherBranch(list, here), want, "beside %d", here)
	}
	assert.Equal(t, OtherBranch(list[:1], 0), -1, "a branch alone")
}

//go:build !windows

package chat_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// isControl is what texts of a service may contain to make a terminal do something:
// move the cursor, colour, ring, set the title, link, copy, answer, turn the
// direction of writing, hide.
var isControl = map[string]string{
	"clear":           "\x1b[2;7777J",
	"move":            "\x1b[77;77H",
	"colour":          "\x1b[31;7777m",
	"alternate":       "\x1b[?1049;7777l",
	"mouse":           "\x1b[?1003h\x1b[?7777h",
	"ask":             "\x1b[6;7777n\x1b[>7777c",
	"title":           "\x1b]0;pwned\x07",
	"title-st":        "\x1b]2;pwned\x1b\\",
	"link":            "\x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\",
	"clipboard":       "\x1b]52;c;cHduZWQ=\x07",
	"unfinished":      "\x1b]0;pwned",
	"half":            "\x1b",
	"device":          "\x1bP+q7777\x1b\\",
	"application":     "\x1b_pwned\x1b\\\x1b^pwned\x1b\\\x1bXpwned\x1b\\",
	"reset":           "\x1bc\x1b(0\x1b#8",
	"c1":              "\u009b2;7777J\u009d0;pwned\u009c\u0090q\u0085",
	"c1-bytes":        "\x9b2;7777J\x9d0;pwned\x9c",
	"bell":            "\a\a",
	"backspace":       "xxxx\b\b\b\byyyy\x7f",
	"return":          "good\rEVIL",
	"vertical":        "a\vb\fc",
	"shift":           "\x0e\x0f\x00\x05\x18\x1a",
	"bidi":            "\u202eevil\u202c\u2066x\u2069\u202aq\u202b",
	"zero-width":      "a\u200bb\u2060c\ufeffd\u2028e\u2029f",
	"language tag":    "\U000e0001",
	"broken-utf8":     "\xff\xfe\xc0\x80",
	"right-to-left":   "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
	"format-verbs":    "%s%d%n%!(EXTRA)",
	"markdown-escape": "[x](\x1b]8;;u\x07) `\x1b[2J` **\x1b[1m**",
}

// hostileAnswers are a service's answers by the end of their path; "~" is replaced by the hostile
// text.
var hostileAnswers = map[string]string{
	cmdtest.AnyID: `{"id":"` + cmdtest.AnyID + `","name":"~Vex~"}`,
	"personas":    `[{"id":"` + cmdtest.AnyID + `","name":"~Vex~","description":"~Bad~","is_public":true}]`,
	"full": `{"persona":{"id":"` + cmdtest.AnyID + `","name":"~Vex~","description":"~Bad~","is_public":true},"machine_links":[
		{"source_machine_key":"hall","target_machine_key":"cell","condition_type":"outcome","condition_value":"ACCEPT"}],"machines":[
		{"machine_id":"m1","machine_key":"hall","name":"~Hall~","description":"~D~","is_entry_machine":true,"states":[
			{"state_key":"a","label":"~First~","is_initial_state":true,"max_redirects":2},{"state_key":"b","label":"~Last~","is_terminal_state":true}],
		"transitions":[{"from_state_key":"a","to_state_key":"b","decision_type":"pass","condition":"~When~","score_delta":1}]},
		{"machine_id":"m2","machine_key":"cell","name":"~Cell~","states":[{"state_key":"a","label":"~A~","is_initial_state":true,"is_terminal_state":true}],"transitions":[]}]}`,
	"available-machines": `[{"machine_id":"m1","machine_key":"~hall","name":"~Hall~","description":"~D~","has_session":true}]`,
	"progress":           `{"persona_id":"` + cmdtest.AnyID + `","route_path":[],"completed_machines":[],"available_machines":[],"cross_machine_vars":{"~key":"~value~"}}`,
	"init-session":       `{"message":"~Opening~ words","session_id":"s~","persona_name":"~","player_name":"~","machine_id":"m1"}`,
	"history": `{"session_id":"s~","current_state":"a","messages":[{"id":"1","role":"assistant","content":"~Opening~ words","state_key_at_time":"a"},
		{"id":"2","role":"user","content":"~said~"},{"id":"3","role":"assistant","content":"~Reply~ done","state_key_at_time":"~odd","decision":"~none"}]}`,
	"trace": `{"turns":[{"message_id":"3","evaluation":"~Because~","holds":[{"transition":0,"why":"~why~"}],"transition":0,"reply":"offline: ~spoken",
		"summary":"~sum~","usage":{"~step":{"model":"~model","in":1,"out":2}}}]}`,
}

// escaped returns a text for the inside of a JSON string; invalid bytes are kept.
func escaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r < ' ' || r == '"' || r == '\\' {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// hostileService answers everything with hostile texts; a message that says "fail" is refused in hostile words.
func hostileService(t *testing.T, text string) string {
	evil := escaped(text)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch last := path.Base(r.URL.Path); {
		case strings.Contains(string(body), `"fail"`):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = fmt.Fprintf(w, `{"error":"%[1]srefused%[1]s","code":"%[1]s"}`, evil)
		case last == "stream":
			w.Header().Set("Content-Type", "text/event-stream")
			streamHostile(w, text, evil)
		case last == "message":
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, hostileReply, evil)
		case hostileAnswers[last] == "":
			w.WriteHeader(http.StatusNotFound)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, strings.ReplaceAll(hostileAnswers[last], "~", evil))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

const hostileReply = `{"message":"%[1]sReply%[1]s done","current_state":"%[1]sodd","score":2,"redirect_count":1,"session_id":"s%[1]s","decision":"%[1]s","unlocked_machines":["%[1]sm9"]}`

// streamHostile sends the reply in pieces of one character, then as a whole.
func streamHostile(w io.Writer, text, evil string) {
	for _, piece := range strings.SplitAfter(text+"Reply"+text+" done", "") {
		_, _ = fmt.Fprintf(w, "event: text_delta\ndata: {\"text\":\"%s\"}\n\n", escaped(piece))
	}
	_, _ = fmt.Fprintf(w, "event: done\ndata: "+hostileReply+"\n\n", evil)
}

// TestHostileTexts: no text of a hostile service reaches a terminal unescaped, on any screen or in lines.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for name, text := range isControl {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := hostileService(t, text)
			judgeHostile(t, name+" on the screen", text, hostileOnScreen(t, name, text, address))
			judgeHostile(t, name+" in lines", text, hostileInLines(t, address))
		})
	}
}

// step is the keys to type, the text that they make appear, and the text that they remove, "" for
// none. A key sequence that begins with Esc and a lone Esc differ only in the next byte, and on a
// loaded machine that may be the next key: so Esc waits until the thing it closes is gone.
type step struct{ keys, shows, hides string }

func stepThatHides(text string) step { return step{"", "", text} }

func hostileOnScreen(t *testing.T, name, text, address string) string {
	p := exec.Command(os.Args[0], "chat", "--debug", "--player-name", "Mara", "--player-gender", "female", "--server", address, cmdtest.AnyID)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+t.TempDir())
	terminal, err := pty.StartWithSize(p, &pty.Winsize{Rows: 60, Cols: 160})
	if err != nil {
		t.Error(err)
		return ""
	}
	defer func() { _ = terminal.Close() }()
	all := &everything{screen: vt10x.New(vt10x.WithSize(160, 60))}
	over := make(chan struct{})
	go all.read(terminal, over)
	steps := []step{
		{"", "words", ""}, {"say\r", "Spoken by", ""}, {"fail\r", "refused", ""}, {"\x15", "", "refused"},
		{"\x1bOS", "Enter goes to the part", ""}, {"\x1b", "F1 keys", "Enter goes to the part"}, {"\x1bOQ", "Esc goes back", ""}, {"\x1b", "F1 keys", "Esc goes back"}, {"/progress\r", "total score", ""},
		{"\x1b[17~", "Esc goes back", ""}, {"\x1b", "F1 keys", "Esc goes back"}, {"\x13", "Enter continues", ""}, {"\x1b", "F1 keys", "Enter continues"}, {"\x1b[15~", "directions need", ""},
		{"\x1bOR", "Enter talks", ""},
	}
	if !utf8.ValidString(text) { // Then it is no JSON, and refused as a whole.
		steps = []step{{"", "answered invalid application/json", ""}}
	}
	for _, step := range steps {
		// On a loaded machine the frame before is still being drawn.
		if step.keys != "" && step.shows != "" && !all.turnsInto(stepThatHides(step.shows)) {
			t.Errorf("%s: %q is there before %q is typed:\n%s", name, step.shows, step.keys, all.picture())
		}
		_, _ = io.WriteString(terminal, step.keys)
		if !all.turnsInto(step) {
			t.Errorf("%s: after %q the screen never shows %q without %q:\n%s", name, step.keys, step.shows, step.hides, all.picture())
			break
		}
	}
	_, _ = io.WriteString(terminal, "\x04")
	<-over
	_ = p.Wait()
	return all.text()
}

// everything keeps all that a program writes, and obeys it.
type everything struct {
	mu     sync.Mutex
	screen vt10x.Terminal
	bytes  strings.Builder
}

func (e *everything) read(from io.Reader, over chan<- struct{}) {
	var writer cmdtest.RuneWriter
	chunk := make([]byte, 4096)
	for {
		n, err := from.Read(chunk)
		e.mu.Lock()
		writer.Write(e.screen, chunk[:n])
		e.bytes.Write(chunk[:n])
		e.mu.Unlock()
		if err != nil {
			close(over)
			return
		}
	}
}

func (e *everything) picture() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.screen.String()
}

func (e *everything) text() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.bytes.String()
}

func (e *everything) turnsInto(s step) bool {
	for limit := time.Now().Add(cmdtest.Timeout); time.Now().Before(limit); {
		if now := e.picture(); strings.Contains(now, s.shows) && (s.hides == "" || !strings.Contains(now, s.hides)) {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func hostileInLines(t *testing.T, address string) string {
	p := exec.Command(os.Args[0], "chat", "--plain", "--debug", "--server", address, cmdtest.AnyID)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+t.TempDir())
	p.Stdin = strings.NewReader("say\n/state\n/search say\n/personas\n/personas 1\n/sessions\n/machines\n/progress\n/history\n/why\n/machines cell\nfail\n")
	out, _ := p.CombinedOutput() // The last message is refused, and its words are what matters.
	assert.True(t, strings.Contains(string(out), "refused") || strings.Contains(string(out), "invalid application"),
		"line mode was not refused:\n%s", out)
	return string(out)
}

// ourSequences matches the sequences of the chat itself: colours, cursor movement, line clearing,
// modes, and the query for the background.
var ourSequences = regexp.MustCompile("\x1b\\[[0-9;]*[mHJKABCDGr]|\x1b\\[\\?[0-9;]*[hl]|\x1b\\]11;\\?\x1b\\\\|\x1b\\[[0-9;]*[ q]*q|\x1b[=>]")

func judgeHostile(t *testing.T, name, text, written string) {
	if len(text) > 1 && strings.IndexFunc(text, risky) >= 0 && strings.Contains(written, text) {
		t.Errorf("%s: %q reaches the terminal", name, text)
	}
	for i, r := range ourSequences.ReplaceAllString(written, "") {
		if risky(r) {
			t.Errorf("%s: %q reaches the terminal near %d", name, r, i)
			return
		}
	}
	for _, own := range ourSequences.FindAllString(written, -1) {
		assert.NotContains(t, own, "7777", "%s: the sequence", name)
	}
}

// risky reports whether a terminal, or the layout behind it, obeys a rune. A program's line ends are not risky.
func risky(r rune) bool {
	switch {
	case r == '\n' || r == '\r':
		return false
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200b, r == 0x2060, r == 0xfeff, r == 0xe0001:
		return true
	}
	return unicode.IsControl(r)
}

func (w *written) between(from, to int) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Clone(w.bytes[from:to])
}

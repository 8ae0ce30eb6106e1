package program

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/assert"
)

const maxTestPaste = 33_024

// decodeChunks feeds chunks and returns descriptions of the messages, and the answers. A rest has expired.
func decodeChunks(chunks ...string) (list, answers []string) {
	d := NewDecoder(maxTestPaste, func(osc string) { answers = append(answers, osc) })
	var msgs []tea.Msg
	for _, chunk := range chunks {
		msgs = append(msgs, d.Feed([]byte(chunk))...)
	}
	for d.Wait() > 0 {
		msgs = append(msgs, d.Expire()...)
	}
	return describeAll(msgs), answers
}

// describeAll describes messages. It joins the text of consecutive messages.
func describeAll(msgs []tea.Msg) (list []string) {
	for _, msg := range msgs {
		last := len(list) - 1
		text := describe(msg)
		if last >= 0 && strings.HasPrefix(text, "text ") && strings.HasPrefix(list[last], "text ") {
			list[last] += strings.TrimPrefix(text, "text ")
			continue
		}
		list = append(list, text)
	}
	return list
}

// describe returns "text grün", "key alt+enter", "paste 12", "mouse left press 3,4".
func describe(msg tea.Msg) string {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		switch {
		case msg.Paste:
			return "paste " + string(msg.Runes)
		case (msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace) && !msg.Alt:
			return "text " + string(msg.Runes)
		}
		return "key " + msg.String()
	case tea.MouseMsg:
		return fmt.Sprintf("mouse %s %d,%d", msg, msg.X, msg.Y)
	case PastedMsg:
		return fmt.Sprintf("long paste of %d", msg.Characters)
	}
	return fmt.Sprintf("%T", msg)
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, input string
		want        string // messages, with " | " between
	}{
		{"characters of all lengths", "aé漢😀", "text aé漢😀"},
		{"a joined emoji", "👩‍👩‍👧 x", "text 👩‍👩‍👧 x"},
		{"a replacement character", "a\ufffdb", "text a\ufffdb"},
		{"controls", "a\r\n\t\x03\x7f\x00b", "text a | key enter | key ctrl+j | key tab | key ctrl+c | key backspace | key ctrl+@ | text b"},
		{"bytes that are no UTF-8", "gr\xfcn \xc3\xc3\xbc\xed\xa0\x80\xf5\x80z", "text grn üz"},
		{"half a character before a key", "a\xe6\xbc\rb", "text a | key enter | text b"},
		{"half a character before an arrow", "a\xe6\x1b[Ab", "text a | key up | text b"},
		{"Escape", "\x1b", "key esc"},
		{"Escape twice", "\x1b\x1b", "key esc | key esc"},
		{"Escape three times", "\x1b\x1b\x1b", "key esc | key esc | key esc"},
		{"Alt", "\x1bb\x1bé\x1b漢\x1b\r\x1b\x7f\x1b \x1b\x00", "key alt+b | key alt+é | key alt+漢 | key alt+enter | key alt+backspace | key alt+  | key alt+ctrl+@"},
		{"Alt and the first byte of a sequence", "\x1b[", "key alt+["},
		{"Alt and the first byte of a sequence before a control", "\x1bO\r\x1b]", "key alt+O | key enter | key alt+]"},
		{"Alt and a broken character", "\x1b\xc3a", "text a"},
		{"arrows", "\x1b[A\x1bOB\x1b[1;5C\x1b[1;6D\x1b[1;3A\x1b\x1b[B\x1bOa", "key up | key down | key ctrl+right | key ctrl+shift+left | key alt+up | key alt+down | key ctrl+up"},
		{"Home, End and pages", "\x1b[H\x1b[4~\x1b[7^\x1b[1;2F\x1b[5~\x1b[6;5~\x1b[5;2~", "key home | key end | key ctrl+home | key shift+end | key pgup | key ctrl+pgdown | key pgup"},
		{"deleting", "\x1b[3~\x1b[3;2~\x1b[3;3~\x1b[3;5~\x1b[2~", "key delete | key delete | key alt+delete | key alt+delete | key insert"},
		{"function keys", "\x1bOP\x1b[[B\x1b[13~\x1b[1;2S\x1b[15~\x1b[24~\x1b[15;3~\x1b[1;1P\x1b[Z", "key f1 | key f2 | key f3 | key f16 | key f5 | key f12 | key alt+f5 | key f1 | key shift+tab"},
		{"keys that nobody knows", "a\x1b[1;5P\x1b[99~\x1b[2;2A\x1b[E\x1b[1;9A\x1bOz\x1b[[Zb", "text ab"},
		{"a paste", "a\x1b[200~x\ry\x1b[A\x03\x1b[20é\x1b[201~b", "text a | paste x\ry\x1b[A\x03\x1b[20é | text b"},
		{"an empty paste", "a\x1b[200~\x1b[201~b", "text ab"},
		{"a paste that does not end", "\x1b[200~xy\x1b[20", "paste xy\x1b[20"},
		{"a paste with bytes that are no UTF-8", "\x1b[200~a\xffb\x1b[201~", "paste ab"},
		{"the end of no paste", "a\x1b[201~b", "text ab"},
		{"mouse", "\x1b[<0;3;4M\x1b[<0;3;4m\x1b[<65;1;1M\x1b[<36;1;1M\x1b[M !!\x1b[<131;1;1M", "mouse left press 2,3 | mouse left release 2,3 | mouse wheel down 0,0 | mouse left motion 0,0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, answers := decodeChunks(c.input)
			assert.Equal(t, strings.Join(got, " | "), c.want, "%q", c.input)
			assert.Empty(t, answers, "%q: answers:", c.input)
			sameForEverySplit(t, c.input, got, answers)
		})
	}
}

// sameForEverySplit checks that splitting an input into reads anywhere does not change the result.
func sameForEverySplit(t *testing.T, input string, want, wantAnswers []string) {
	t.Helper()
	for at := range len(input) {
		got, answers := decodeChunks(input[:at], input[at:])
		assert.EqualSlices(t, got, want, "%q, cut at %d", input, at)
		assert.EqualSlices(t, answers, wantAnswers, "answers of %q, cut at %d", input, at)
	}
	got, answers := decodeChunks(strings.Split(input, "")...)
	assert.EqualSlices(t, got, want, "%q, byte by byte", input)
	assert.EqualSlices(t, answers, wantAnswers, "answers of %q, byte by byte", input)
}

// TestNoCharacterIsLost is about characters that were once lost at each read of 256 bytes.
func TestNoCharacterIsLost(t *testing.T) {
	t.Parallel()
	for _, letters := range []string{"é", "漢", "😀", "👩‍👩‍👧", "aé漢😀"} {
		text := "a" + strings.Repeat(letters, 200)
		for _, size := range []int{1, 2, 3, 5, 7, 255, 256, 257, 4096} {
			var chunks []string
			for chunk := range slices.Chunk([]byte(text), size) {
				chunks = append(chunks, string(chunk))
			}
			got, _ := decodeChunks(chunks...)
			assert.True(t, len(got) == 1 && got[0] == "text "+text, "%q in reads of %d bytes loses characters", letters, size)
		}
	}
}

// Keys as characters with modifiers, in both forms of xterm. All forms of kitty's protocol type nothing.
func TestModifiedKeys(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"\x1b[13u": "key enter", "\x1b[13;2u": "key alt+enter", "\x1b[27;2;13~": "key alt+enter", "\x1b[13;3u": "key alt+enter", "\x1b[13;5u": "key enter", "\x1b[57414u": "",
		"\x1b[32;2u": "text  ", "\x1b[27;2;32~": "text  ", "\x1b[32;5u": "key ctrl+@", "\x1b[32;3u": "key alt+ ",
		"\x1b[97;5u": "key ctrl+a", "\x1b[27;5;97~": "key ctrl+a", "\x1b[97;7u": "key alt+ctrl+a", "\x1b[97;3u": "key alt+a", "\x1b[97;4u": "key alt+A",
		"\x1b[97;2u": "text A", "\x1b[33;2u": "text !", "\x1b[246u": "text ö", "\x1b[228;2u": "text Ä", "\x1b[128512u": "text 😀",
		"\x1b[97;1:1u": "", "\x1b[97:65;2u": "", "\x1b[97;;229u": "", "\x1b[1089;5u": "", "\x1b[99;6u": "", "\x1b[27;6;67~": "",
		"\x1b[27u": "key esc", "\x1b[27;2u": "key esc", "\x1b[91;5u": "key esc", "\x1b[9;2u": "key shift+tab", "\x1b[9u": "key tab", "\x1b[9;5u": "",
		"\x1b[127u": "key backspace", "\x1b[127;2u": "key backspace", "\x1b[127;5u": "key alt+backspace", "\x1b[27;5;8~": "key alt+backspace", "\x1b[127;3u": "key alt+backspace",
		"\x1b[45;6u": "key ctrl+_", "\x1b[47;5u": "key ctrl+_", "\x1b[95;6u": "key ctrl+_", "\x1b[105;5u": "key tab", "\x1b[109;5u": "key enter",
		"\x1b[57441;2u": "", "\x1b[57428u": "", "\x1b[97;9u": "", "\x1b[97;17u": "", "\x1b[97;33u": "", "\x1b[3;9~": "", "\x1b[13;9u": "",
		"\x1b[1114112u": "", "\x1b[55296u": "", "\x1b[128u": "", "\x1b[u": "", "\x1b[97;1;27u": "", "\x1b[99999999999u": "", "\x1b[97;99999999u": "", "\x1b[-1u": "", "\x1b[97;2;3;4u": "",
	} {
		got, _ := decodeChunks("<", input, ">")
		middle := strings.TrimSuffix(strings.TrimPrefix(strings.Join(got, " | "), "text <"), ">")
		middle = strings.TrimSuffix(strings.TrimPrefix(middle, " | "), " | text ")
		assert.Equal(t, middle, strings.TrimPrefix(want, "text "), "%q %q", input, want)
		sameForEverySplit(t, "<"+input+">", got, nil)
	}
}

func TestAnswersAreNotTyped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, input, answer string }{
		{"a colour", "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", "11;rgb:1e1e/1e1e/1e1e"},
		{"a colour, ended by a bell", "\x1b]10;rgb:ffff/ffff/ffff\a", "10;rgb:ffff/ffff/ffff"},
		{"a colour of the palette", "\x1b]4;1;rgb:cccc/0000/0000\a", "4;1;rgb:cccc/0000/0000"},
		{"a clipboard", "\x1b]52;c;" + strings.Repeat("QUJD", 5000) + "\a", ""},
		{"a title", "\x1b]l~/grün 漢\x1b\\", "l~/grün 漢"},
		{"lines in a string", "\x1b]1\r\n\t\x7f;2\a", "1\r\n\t\x7f;2"},
		{"DA1", "\x1b[?62;1;2;6;9;15;22c", ""},
		{"DA2", "\x1b[>41;380;0c", ""},
		{"DA3", "\x1bP!|7E565445\x1b\\", ""},
		{"the cursor's place", "\x1b[12;40R", ""},
		{"the cursor's place in the corner", "\x1b[1;1R", ""},
		{"the cursor's place with a page", "\x1b[?12;40;1R", ""},
		{"status", "\x1b[0n", ""},
		{"DECRPM", "\x1b[?2026;2$y", ""},
		{"ANSI mode", "\x1b[4;1$y", ""},
		{"kitty's flags", "\x1b[?31u", ""},
		{"modifyOtherKeys", "\x1b[>4;2m", ""},
		{"XTVERSION", "\x1bP>|XTerm(380)\x1b\\", ""},
		{"DECRQSS", "\x1bP1$r0;1m\x1b\\", ""},
		{"XTGETTCAP", "\x1bP1+r544e=787465726d\x1b\\", ""},
		{"graphics", "\x1b_Gi=31;OK\x1b\\", ""},
		{"PM", "\x1b^private\x1b\\", ""},
		{"SOS", "\x1bXa string\x1b\\", ""},
		{"the window's size", "\x1b[8;24;80t\x1b[6;20;10t\x1b[48;24;80;480;800t", ""},
		{"graphics attributes", "\x1b[?1;0;256S", ""},
		{"the colours of the desktop", "\x1b[?997;1n", ""},
		{"focus", "\x1b[I\x1b[O", ""},
		{"urxvt's mouse", "\x1b[32;10;10M", ""},
		{"the terminal's parameters", "\x1b[2;1;1;112;112;1;0x", ""},
		{"a very long sequence", "\x1b[" + strings.Repeat("1;", 3000) + "A", ""},
		{"a string that is cancelled", "\x1bPabc\x18", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			input := "a" + c.input + "b"
			got, answers := decodeChunks(input)
			assert.EqualSlices(t, got, []string{"text ab"}, "%.40q %q", c.input, answers)
			assert.Equal(t, strings.Join(answers, ""), c.answer, "%.40q %q", c.input, answers)
			if len(input) < 2*maxSequence {
				sameForEverySplit(t, input, got, answers)
			}
		})
	}
}

func TestStringWithoutEnd(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"\x1b]11;rgb":          "",
		"\x1b]11;rgb\x03":      "key ctrl+c",
		"\x1b]11;rgb\x1b":      "key esc",
		"\x1b]11;rgb\x1b[A":    "key up",
		"\x1b]\x1b[A":          "key alt+] | key up",
		"\x1bP1\x1b]11;rgb\ax": "text x",
	} {
		got, _ := decodeChunks(input)
		assert.Equal(t, strings.Join(got, " | "), want, "%q", input)
	}
}

// TestLateRest: a sequence is recognised even if it came late behind its Escape. Words after Escape are typed.
func TestLateRest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ early, late, want string }{
		{"\x1b", "]11;rgb:ffff/ffff/ffff\a", "key esc"},
		{"\x1b]", "11;rgb:ffff/ffff/ffff\a", "key alt+]"},
		{"\x1b]11;rgb:ff", "ff/ffff/ffff\a", ""},
		{"\x1b", "[?62;22c", "key esc"},
		{"\x1b[", "?62;22c", "key alt+["},
		{"\x1b[?62", ";22c", ""},
		{"\x1b", "[A", "key esc | key up"},
		{"\x1b", "OA", "key esc | key up"},
		{"\x1b", "P>|foot(1.2)\x1b\\", "key esc"},
		{"\x1b", "_Gi=1;OK\x1b\\", "key esc"},
		{"\x1b", "[well]", "key esc | text [well]"},
		{"\x1b", "[1] one", "key esc | text [1] one"},
		{"\x1b", "Oh no", "key esc | text Oh no"},
		{"\x1b", "Please", "key esc | text Please"},
		{"\x1b", "]", "key esc | text ]"},
	} {
		d := NewDecoder(maxTestPaste, nil)
		msgs := slices.Concat(d.Feed([]byte(c.early)), d.Expire(), d.Feed([]byte(c.late)))
		assert.Equal(t, strings.Join(describeAll(msgs), " | "), c.want, "%q, then late %q", c.early, c.late)
	}
}

func TestLongPaste(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"as much as is kept", strings.Repeat("x", maxTestPaste), "paste " + strings.Repeat("x", maxTestPaste)},
		{"one more", strings.Repeat("x", maxTestPaste+1), fmt.Sprintf("long paste of %d", maxTestPaste+1)},
		{"much more", strings.Repeat("é", 50_000), "long paste of 50000"},
		{"like an end", strings.Repeat("x", maxTestPaste) + "\x1b[20y\x1b", fmt.Sprintf("long paste of %d", maxTestPaste+6)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			input := "\x1b[200~" + c.text + pasteEnds
			got, _ := decodeChunks(input+input, "z")
			assert.EqualSlices(t, got, []string{c.want, c.want, "text z"})
		})
	}
}

// FuzzDecoder: nothing hangs or grows, reads change nothing, no valid character is lost, keys are valid.
func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{"aé漢😀", "\x1b[13;2u\x1b[27;2;32~", "\x1b]11;rgb:0/0/0\x1b\\x", "\x1b[200~é\x1b[201~", "\x1b[<64;1;1Mb", "\x1b\x1b[A\x1b[M\xff\xff", "\xf0\x9f\x1bP1\x1b", "\x1b[97:65;2:1;65u"} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, input string, cut int) {
		want, answers := decodeChunks(input)
		cut = max(cut, -cut, 0) % (len(input) + 1)
		got, also := decodeChunks(input[:cut], input[cut:])
		assert.EqualSlices(t, got, want, "%q, cut at %d", input, cut)
		assert.EqualSlices(t, also, answers, "answers of %q, cut at %d", input, cut)
		plain := strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return -1
			}
			return r
		}, strings.ToValidUTF8(input, ""))
		if got, _ := decodeChunks(plain); plain != "" && !slices.Equal(got, []string{"text " + plain}) {
			t.Errorf("%q is %q", plain, got)
		}
		for _, text := range want {
			assert.True(t, utf8.ValidString(text), "%q is %q", input, text)
			assert.True(t, len(text) <= 3*len(input)+40, "%q is %q", input, text)
		}
	})
}

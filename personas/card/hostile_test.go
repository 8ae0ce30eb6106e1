package card_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/card"
	"github.com/parley-npc/parley/personas/lint"
)

// Limits on memory (including memory that was freed again) and time for a hostile card. The time is
// many times the usual one, for slow machines.
const (
	maxMemory = 400 << 20
	maxTime   = 20 * time.Second
)

func zeros(t testing.TB, n int) []byte { return deflate(t, make([]byte, n)) }

// chunkHead returns the head of a chunk that claims a length, without its data.
func chunkHead(length uint32, kind string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, length), kind...)
}

// TestHostileCards: a card with false claims is refused with the reason, at low cost.
func TestHostileCards(t *testing.T) {
	nested := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	bomb := makeArchive(t, zipFile{"card.json", append([]byte(cardV2), make([]byte, 60<<20)...)})
	for name, test := range map[string]struct {
		content []byte
		want    string
	}{
		"too large":              {make([]byte, card.MaxFile+1), "larger than 64 MiB"},
		"deep JSON":              {[]byte(nested), "nests deeper than 64 levels"},
		"deep lists":             {[]byte(`{"spec": "chara_card_v2", "data": ` + strings.Repeat("[", 1<<20)), "nests deeper"},
		"many values":            {[]byte(`{"spec": "chara_card_v2", "data": {"tags": [` + strings.Repeat("0,", 1<<20) + "0]}}"), "more than 100000 values"},
		"large JSON":             {[]byte(`{"spec": "chara_card_v2", "data": {"name": "` + strings.Repeat("a", 17<<20) + `"}}`), "larger than the maximum of 16 MiB"},
		"no UTF-8":               {[]byte("{\"spec\": \"chara_card_v2\", \"data\": {\"name\": \"\xff\"}}"), "not valid UTF-8"},
		"zTXt bomb":              {withChunks(t, chunk("zTXt", append([]byte("chara\x00\x00"), zeros(t, 40<<20)...))), "larger than 21 MiB"},
		"iTXt bomb":              {withChunks(t, chunk("iTXt", append([]byte("ccv3\x00\x01\x00\x00\x00"), zeros(t, 40<<20)...))), "larger than 21 MiB"},
		"unknown compression":    {withChunks(t, chunk("zTXt", []byte("chara\x00\x09abc"))), "unknown compression method: 9"},
		"no zlib":                {withChunks(t, chunk("zTXt", []byte("chara\x00\x00abc"))), "cannot be decompressed"},
		"cut zlib":               {withChunks(t, chunk("zTXt", append([]byte("chara\x00\x00"), zeros(t, 4096)[:10]...))), "cannot be decompressed"},
		"cut iTXt":               {withChunks(t, chunk("iTXt", []byte("chara\x00\x01"))), "is cut off"},
		"keyword alone":          {withChunks(t, chunk("tEXt", []byte("chara"))), "is cut off"},
		"huge base64":            {withChunks(t, chunk("tEXt", append([]byte("chara\x00"), bytes.Repeat([]byte("A"), 30<<20)...))), "larger than 21 MiB"},
		"no base64":              {withChunks(t, chunk("tEXt", []byte("chara\x00@@@@"))), "is not base64"},
		"base64 of nothing":      {withChunks(t, chunk("tEXt", []byte("chara\x00AAAA"))), "not a character card"},
		"a length beyond":        {slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunkHead(0xffffffff, "tEXt"), []byte("chara\x00abcdef")), "has a length of 4294967295 bytes"},
		"a length a little off":  {slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunkHead(20, "tEXt"), []byte("chara\x00abcd")), "has a length of 20 bytes"},
		"a million empty chunks": {append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat(chunk("tEXt", nil), 1<<20)...), "without its last chunk"},
		"signature alone":        {[]byte("\x89PNG\r\n\x1a\n"), "without its last chunk"},
		"zip bomb":               {bomb, "card.json in the archive is larger than the maximum of 16 MiB"},
		"zip bomb that lies":     {lieAboutSize(t, bomb, 100), "card.json in the archive"},
		"cut zip":                {bomb[:len(bomb)/2], "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			began := time.Now()
			used := assert.Allocated(func() { _, err = card.Read(test.content) })
			took := time.Since(began)
			assert.ErrorContains(t, err, test.want)
			assert.True(t, len(fmt.Sprint(err)) <= 400, "the error is too long: %v", err)
			assert.True(t, used <= maxMemory && took <= maxTime, "reading it takes %d MiB and %v", used>>20, took)
		})
	}
}

// lieAboutSize changes the declared size of the first file in an archive's directory.
func lieAboutSize(t testing.TB, archive []byte, size uint32) []byte {
	t.Helper()
	at := bytes.LastIndex(archive, []byte("PK\x01\x02"))
	assert.Must(t, at >= 0, "no list")
	out := bytes.Clone(archive)
	binary.LittleEndian.PutUint32(out[at+24:], size)
	return out
}

// TestHostileArchives: an archive with a foreign path, a link, a duplicate or thousands of files is rejected.
func TestHostileArchives(t *testing.T) {
	t.Parallel()
	good := zipFile{"card.json", []byte(cardV2)}
	for _, name := range []string{"../../etc/passwd", "a/../../b", "..", "/etc/passwd", `C:\x`, "C:/x", `..\x`, `a\b.png`, "a\nb", "a\x1b[31m", "a\x00b", "\xff", strings.Repeat("a", 600)} {
		_, err := card.Read(makeArchive(t, good, zipFile{name, nil}))
		assert.ErrorContains(t, err, "the archive is rejected: the path ", "%q", name)
		assert.True(t, !strings.ContainsAny(fmt.Sprint(err), "\x1b\n\x00"), "%q: %v", name, err)
	}
	_, err := card.Read(makeArchive(t, good, good))
	assert.ErrorContains(t, err, "twice", "twice")
	var files []zipFile
	for i := range 3000 {
		files = append(files, zipFile{fmt.Sprintf("assets/%d", i), nil})
	}
	_, err = card.Read(makeArchive(t, append(files, good)...))
	assert.ErrorContains(t, err, "more than 2000 files", "3,000 files")
	for name, header := range map[string]*zip.FileHeader{
		"a link":    withMode("card.json", fs.ModeSymlink|0o777, 0),
		"a device":  withMode("assets/a", fs.ModeDevice|0o600, 0),
		"encrypted": withMode("card.json", 0o600, 1),
	} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.CreateRaw(header)
		if err == nil {
			_, err = io.WriteString(w, "")
		}
		assert.NoError(t, err)
		assert.NoError(t, z.Close())
		_, err = card.Read(b.Bytes())
		assert.True(t, err != nil && (strings.Contains(err.Error(), "is not a regular file") || strings.Contains(err.Error(), "is encrypted")), "%s: %v", name, err)
	}
}

func withMode(name string, mode fs.FileMode, flags uint16) *zip.FileHeader {
	h := &zip.FileHeader{Name: name, Flags: flags}
	h.SetMode(mode)
	return h
}

// TestHostileIcons: an icon that leads elsewhere, or that is a bomb, is ignored, and the card is still read.
func TestHostileIcons(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ uri, want string }{
		"out of the archive": {"embeded://../../../etc/passwd", `the card does not contain the file "etc/passwd"`},
		"a bomb":             {"embeded://assets/bomb.png", "is larger than the maximum of 16 MiB"},
		"no base64":          {"data:image/png;base64,@", "illegal base64"},
		"no data":            {"data:text/html,<script>", "it is not a base64 data URI"},
		"no picture":         {"data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("<svg/>")), "not a PNG, JPEG or GIF"},
		"on this machine":    {"file:///etc/passwd", ""},
		"on the web":         {"https://example.com/a.png", ""},
	} {
		text := fmt.Sprintf(`{"spec": "chara_card_v3", "data": {"name": "A", "first_mes": "x", "scenario": "", "assets": [{"type": "icon", "uri": %q, "name": "main", "ext": "png"}]}}`, test.uri)
		var bomb []byte
		if strings.Contains(test.uri, "bomb") {
			bomb = make([]byte, 17<<20)
		}
		p, report := mustConvert(t, makeArchive(t, zipFile{"card.json", []byte(text)}, zipFile{"assets/bomb.png", bomb}))
		told := listNotes(report.Changed) + listNotes(report.Left)
		assert.Equal(t, p.Portrait, "", name)
		assert.Contains(t, told, test.want, name)
	}
}

// TestLongTexts: long dialogues and many macros are converted in a bounded time.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for _, line := range []string{"a", "{{user}}: a", "{{char}}: b", "<START>", "{{user}}: a\n{{char}}: b", "@@depth 4", "{{", "}}", "{{{", "{{a}}", "{{random:{{char}}", "<user>", "{{ {"} {
		text := "{{user}}: a\n" + strings.Repeat(line+"\n", 60_000)
		p, _ := mustConvert(t, fmt.Appendf(nil, `{"spec": "chara_card_v2", "data": {"name": "A", "first_mes": %q, "personality": %q, "mes_example": %q, "character_book": {"entries": [{"keys": ["a"], "content": %q}]}}}`,
			strings.Repeat(line, 30_000), strings.Repeat(line, 20_000)+strings.Repeat("}}", 20_000), text, text[12:]))
		if found := lint.Refusals(&p, nil); len(found) > 0 {
			t.Errorf("%s: %.200s", line, found[0].Message)
		}
		_, _ = card.EncodeYAML(p) // A text with so many characters may be rejected.
	}
	took := time.Since(began)
	assert.True(t, took <= maxTime, "it takes %v", took)
}

// manyValues is nearly the maximum number of values of a card with a persona that can be saved.
const manyValues = 90_000

func repeat(item string, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.ReplaceAll(item, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

func timeCard(t *testing.T, text string) time.Duration {
	t.Helper()
	began := time.Now()
	p, _ := mustConvert(t, []byte(text))
	for i := range p.Offline.Answers { // No entry of the card leads to its answer any more.
		p.Offline.Answers[i].Say[0] += "!"
	}
	assert.Value(card.FromPersona(&p))(t)
	return time.Since(began)
}

// TestManyValuesCostTheSame: a card of many values costs about the same for all kinds. Tags are only read.
func TestManyValuesCostTheSame(t *testing.T) {
	const head = `{"spec": "chara_card_v2", `
	const entry = `"character_book": {"entries": [{"keys": ["a"], "content": "b"}]}`
	const v2 = head + `"data": {"name": "A", "first_mes": "Hi.", "scenario": "", ` + entry
	plain := timeCard(t, v2+`, "tags": [`+repeat(`"a greeting with the number %d"`, manyValues)+`]}}`)
	for name, text := range map[string]string{
		"alternate greetings": v2 + `, "alternate_greetings": [` + repeat(`"a greeting with the number %d"`, manyValues) + `]}}`,
		"members of data":     v2 + `, ` + repeat(`"member%d": 0`, manyValues) + `}}`,
		"members of the card": head + repeat(`"member%d": 0`, manyValues) + `, "data": {"name": "A", "first_mes": "Hi.", "scenario": "", ` + entry + `}}`,
		"lorebook entries":    head + `"data": {"name": "A", "first_mes": "Hi.", "scenario": "", "character_book": {"entries": [` + repeat(`{"keys": ["a"], "content": "answer %d"}`, manyValues/6) + `]}}}`,
	} {
		took, most := timeCard(t, text), 8*plain+3*time.Second
		assert.True(t, took <= most, "%s: %v, want at most %v (with tags it takes %v)", name, took, most, plain)
	}
}

// TestManyGreetingsAreAllTaken: different greetings are used once, in order, and too many are rejected.
func TestManyGreetingsAreAllTaken(t *testing.T) {
	const head = `{"spec": "chara_card_v2", "data": {"name": "A", "first_mes": "g0", "alternate_greetings": [`
	greetings := repeat(`"g%d"`, manyValues)
	p, report := mustConvert(t, []byte(head+greetings+`,"g7"]}}`))
	openings := p.Machines[0].States[0].Offline.Opening
	assert.Must(t, len(openings) == manyValues, "%d openings of %d greetings", len(openings), manyValues)
	assert.Equal(t, openings[0], "g0")
	assert.Equal(t, openings[manyValues-1], fmt.Sprintf("g%d", manyValues-1))
	assert.True(t, len(report.Taken) >= manyValues, "%d notes of %d greetings", len(report.Taken), manyValues)
	// The card has six values besides its list of greetings.
	for n, want := range map[int]string{100_000 - 6: "", 100_000 - 5: "more than 100000 values"} {
		_, err := card.Read([]byte(head + repeat(`"g%d"`, n) + `]}}`))
		assert.True(t, (err == nil) == (want == "") && (err == nil || strings.Contains(err.Error(), want)), "%d greetings: %v, want %q", n, err, want)
	}
}

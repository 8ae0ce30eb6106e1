package provider

import (
	"crypto/rand"
	"math/big"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
)

// DrawnName is a name that was drawn for one request alone, such as that of a choice, so that a
// writer in a conversation cannot know it.
type DrawnName struct {
	// Meaning is the meaning of the name, the same in every request, in guillemets: such as
	// «1-pass». It is never sent.
	Meaning string
	// Name is in the request.
	Name string
}

const (
	// drawnLetters spell no words.
	drawnLetters = "bcdfghjkmnpqrstvwxz"
	// drawnLength letters of them are 34 bits.
	drawnLength = 8
)

// DrawName draws a name for a meaning. The part after a dash in the meaning becomes the readable
// ending of the name: «1-pass» becomes bqxkzwrt-pass.
func DrawName(meaning string) DrawnName {
	letters := make([]byte, drawnLength)
	for i := range letters {
		// The reader never fails.
		n, _ := rand.Int(rand.Reader, big.NewInt(int64(len(drawnLetters))))
		letters[i] = drawnLetters[n.Int64()]
	}
	_, ending, named := strings.Cut(meaning, "-")
	if ending = strings.Map(keepWordLetter, ending); named && ending != "" {
		ending = "-" + ending
	}
	return DrawnName{Meaning: meaning, Name: string(letters) + ending}
}

// keepWordLetter keeps ASCII letters, digits and underscores, and drops other characters.
func keepWordLetter(r rune) rune {
	if r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
		return r
	}
	return -1
}

// MeaningOf returns the meaning of a name in an answer, in any case of letters; "" for a name that
// was not drawn for the request.
func (r Request) MeaningOf(name string) string {
	for _, d := range r.Drawn {
		if strings.EqualFold(d.Name, strings.TrimSpace(name)) {
			return d.Meaning
		}
	}
	return ""
}

// DrawAnew returns the same request with other drawn names.
func (r Request) DrawAnew() Request {
	pairs, drawn := []string{}, slices.Clone(r.Drawn)
	for i, d := range drawn {
		drawn[i] = DrawName(d.Meaning)
		pairs = append(pairs, d.Name, drawn[i].Name)
	}
	r.Drawn = drawn
	return r.replaceTexts(pairs)
}

// SpellMeanings returns the request with meanings in the place of the drawn names: it is
// the same each time, so that requests can be compared.
func (r Request) SpellMeanings() Request {
	var pairs []string
	for _, d := range r.Drawn {
		pairs = append(pairs, d.Name, d.Meaning)
	}
	return r.replaceTexts(pairs)
}

// replaceTexts returns a request with other texts in the place of the drawn names.
func (r Request) replaceTexts(pairs []string) Request {
	if len(pairs) == 0 {
		return r
	}
	replacer := strings.NewReplacer(pairs...)
	r.System, r.Messages = replacer.Replace(r.System), slices.Clone(r.Messages)
	for i, m := range r.Messages {
		r.Messages[i] = llm.Message{Role: m.Role, Text: replacer.Replace(m.Text)}
	}
	if r.Schema != nil {
		r.Schema = &Schema{Name: r.Schema.Name, JSON: []byte(replacer.Replace(string(r.Schema.JSON)))}
	}
	return r
}

// KeepMeanings returns the recorded form of an answer to the request: with meanings in place of the
// drawn names. A text that only looks like a meaning is changed so that it does not become a name
// when the recording plays.
func (r Request) KeepMeanings(text string) string {
	var pairs []string
	for _, d := range r.Drawn {
		pairs = append(pairs, d.Name, d.Meaning, d.Meaning, strings.Trim(d.Meaning, "«»"))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// FillNames returns an answer of a recording as an answer to the request: with its drawn
// names in the place of the meanings.
func (r Request) FillNames(text string) string {
	var pairs []string
	for _, d := range r.Drawn {
		pairs = append(pairs, d.Meaning, d.Name)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

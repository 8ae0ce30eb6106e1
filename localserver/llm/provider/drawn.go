package provider

import (
	"crypto/rand"
	"math/big"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
)

const (
	// Consonants form no words.
	drawnLetters = "bcdfghjkmnpqrstvwxz"
	// Eight of 19 letters are 34 random bits.
	drawnLength = 8
)

// DrawName draws a random name for a meaning. The name keeps the part after a dash. For example,
// «1-pass» may become bqxkzwrt-pass.
func DrawName(meaning string) DrawnName {
	letters := make([]byte, drawnLength)
	for i := range letters {
		// rand.Reader never fails.
		n, _ := rand.Int(rand.Reader, big.NewInt(int64(len(drawnLetters))))
		letters[i] = drawnLetters[n.Int64()]
	}
	_, ending, named := strings.Cut(meaning, "-")
	if ending = strings.Map(keepWordLetter, ending); named && ending != "" {
		ending = "-" + ending
	}
	return DrawnName{Meaning: meaning, Name: string(letters) + ending}
}

func keepWordLetter(r rune) rune {
	if r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
		return r
	}
	return -1
}

// MeaningOf returns the meaning of a drawn name in any case, or "".
func (r Request) MeaningOf(name string) string {
	for _, d := range r.Drawn {
		if strings.EqualFold(d.Name, strings.TrimSpace(name)) {
			return d.Meaning
		}
	}
	return ""
}

// DrawAnew returns the request with newly drawn names.
func (r Request) DrawAnew() Request {
	pairs, drawn := []string{}, slices.Clone(r.Drawn)
	for i, d := range drawn {
		drawn[i] = DrawName(d.Meaning)
		pairs = append(pairs, d.Name, drawn[i].Name)
	}
	r.Drawn = drawn
	return r.replaceTexts(pairs)
}

// SpellMeanings replaces the drawn names in a request by their meanings. Requests with different
// drawn names then become equal.
func (r Request) SpellMeanings() Request {
	var pairs []string
	for _, d := range r.Drawn {
		pairs = append(pairs, d.Name, d.Meaning)
	}
	return r.replaceTexts(pairs)
}

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

// KeepMeanings returns an answer with meanings instead of drawn names, for a recording.
// KeepMeanings removes the guillemets of a meaning that the model wrote itself.
func (r Request) KeepMeanings(text string) string {
	var pairs []string
	for _, d := range r.Drawn {
		pairs = append(pairs, d.Name, d.Meaning, d.Meaning, strings.Trim(d.Meaning, "«»"))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// FillNames returns a recorded answer with the request's drawn names.
func (r Request) FillNames(text string) string {
	var pairs []string
	for _, d := range r.Drawn {
		pairs = append(pairs, d.Meaning, d.Name)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

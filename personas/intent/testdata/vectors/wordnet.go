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

// dictionary contains the synsets of WordNet, in the order of the files.
type dictionary struct {
	synsets []*synset
	at      map[place]*synset
}

type place struct{ part, offset string }

type synset struct {
	part     string
	words    []string // phrases contain spaces
	gloss    string   // without examples
	examples []string
	pointers []pointer
}

type pointer struct {
	kind     string // "@" to a hypernym, "!" to an antonym, ...
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

// partOf returns the part of speech, with the two kinds of adjectives merged.
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

// lemmas returns the words in WordNet that consist of small letters only.
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

// eachPair calls tell with pairs of texts that have about the same meaning. They are a word and its
// definition, synonyms, an example and the definition, and a word and its hypernym, or a similar or
// derived word.
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

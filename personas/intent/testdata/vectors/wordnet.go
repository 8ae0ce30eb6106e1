package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

type dictionary struct {
	synsets []*synset
	at      map[string]*synset // by part of speech and offset
}

type synset struct {
	part     string
	words    []string // phrases contain spaces
	gloss    string   // without examples
	examples []string
	pointers []pointer
}

type pointer struct {
	kind     string // "@" to a hypernym, "!" to an antonym, ...
	part, to string // part of speech, and key in dictionary.at
	from, of int    // numbers of words, from 0; -1 for the whole synset
}

func readWordNet(folder string) *dictionary {
	d := &dictionary{at: make(map[string]*synset)}
	for _, part := range []string{"noun", "verb", "adj", "adv"} {
		text, err := os.ReadFile(filepath.Join(folder, "data."+part))
		check(err)
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, " ") { // not the licence
				d.addSynset(line)
			}
		}
	}
	return d
}

var quoted = regexp.MustCompile(`"([^"]*)"`)

// addSynset parses the format of wndb(5WN).
func (d *dictionary) addSynset(line string) {
	text, gloss, _ := strings.Cut(line, "|")
	fields := strings.Fields(text)
	s := &synset{part: partOf(fields[2]), gloss: quoted.ReplaceAllString(gloss, "")}
	at := 4
	for range parse(fields[3], 16) {
		w, _, _ := strings.Cut(fields[at], "(")
		s.words = append(s.words, strings.ReplaceAll(w, "_", " "))
		at += 2
	}
	for i := range parse(fields[at], 10) {
		f := fields[at+1+4*i:]
		part := partOf(f[2])
		s.pointers = append(s.pointers, pointer{
			kind: f[0], part: part, to: part + f[1],
			from: parse(f[3][:2], 16) - 1, of: parse(f[3][2:], 16) - 1,
		})
	}
	for _, m := range quoted.FindAllStringSubmatch(gloss, -1) {
		s.examples = append(s.examples, m[1])
	}
	d.synsets, d.at[s.part+fields[0]] = append(d.synsets, s), s
}

// partOf merges the two kinds of adjectives.
func partOf(part string) string { return strings.Replace(part, "s", "a", 1) }

func parse(text string, base int) int {
	n, err := strconv.ParseInt(text, base, 64)
	check(err)
	return int(n)
}

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
			if to := d.at[p.to]; p.kind == "!" && p.part == s.part && to != nil {
				out = append(out, [2]string{s.words[p.from], to.words[p.of]})
			}
		}
	}
	return out
}

// eachPair calls tell with pairs of texts of about the same meaning. These are words, synonyms,
// definitions, examples, hypernyms, and similar or derived words.
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

package identity

import (
	"bytes"
	"strings"
)

// Requirements for a secret.
const (
	// minBytes is the minimum number of different bytes. 32 random hexadecimal digits contain fewer
	// different bytes with a probability of one in ten million.
	minBytes = 8
	// A text counts as words if at least wordShare percent of its pairs of bytes are commonPairs.
	// In random letters, about 8 % of the pairs are.
	wordShare = 30
	// maxLooked is the number of bytes of a secret that are examined. In longer texts, repetitions
	// occur by chance.
	maxLooked = 256
)

// commonPairs lists the pairs of letters that make up half of all pairs in English text.
const commonPairs = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur"

// looksRandom detects secrets that people invent: few different bytes, repetitions, sequences such as abc
// or 321, and words. It does not measure randomness.
func looksRandom(secret []byte) bool {
	secret = secret[:min(len(secret), maxLooked)]
	return countDifferent(secret, 1) >= minBytes &&
		4*countDifferent(secret, 3) >= 3*(len(secret)-2) &&
		3*countNeighbours(secret) < 2*len(secret) && !readsAsWords(secret)
}

func countDifferent(secret []byte, length int) int {
	seen := map[string]bool{}
	for i := range len(secret) - length + 1 {
		seen[string(secret[i:i+length])] = true
	}
	return len(seen)
}

// countNeighbours counts bytes that differ by at most 1 from the byte before.
func countNeighbours(secret []byte) int {
	n := 0
	for i := range len(secret) - 1 {
		if step := int(secret[i+1]) - int(secret[i]); step >= -1 && step <= 1 {
			n++
		}
	}
	return n
}

func readsAsWords(secret []byte) bool {
	common := 0
	for i := range len(secret) - 1 {
		pair := bytes.ToLower(secret[i : i+2])
		if !bytes.ContainsRune(pair, ' ') && strings.Contains(commonPairs, string(pair)) {
			common++
		}
	}
	return 100*common >= wordShare*(len(secret)-1)
}

package identity

import (
	"bytes"
	"strings"
)

// What is asked of a secret.
const (
	// leastBytes is how many different bytes it has: 32 hexadecimal digits that are
	// drawn have fewer once in ten million times.
	leastBytes = 8
	// wordShare is the share of commonPairs among all pairs of bytes, in percent, from which a text
	// counts as words; for random letters it is one in thirteen.
	wordShare = 30
	// mostLooked is the length of the examined part of a long secret, in bytes: beyond it
	// repetitions occur by chance.
	mostLooked = 256
)

// commonPairs are the pairs of letters that make up half of English text.
const commonPairs = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur"

// looksRandom reports whether a secret may be random and not made up: enough different bytes, no
// repetitions, no sequences of neighbours, no words. It detects typical human input, and does not
// measure randomness.
func looksRandom(secret []byte) bool {
	secret = secret[:min(len(secret), mostLooked)]
	return countDifferent(secret, 1) >= leastBytes &&
		4*countDifferent(secret, 3) >= 3*(len(secret)-2) &&
		3*countNeighbours(secret) < 2*len(secret) && !readsAsWords(secret)
}

// countDifferent counts the different pieces of a length, in bytes.
func countDifferent(secret []byte, length int) int {
	seen := map[string]bool{}
	for i := range len(secret) - length + 1 {
		seen[string(secret[i:i+length])] = true
	}
	return len(seen)
}

// countNeighbours counts the bytes that follow the one before them as in an alphabet or
// on a row of digits, forwards, backwards or standing still.
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

package diff

import (
	"slices"
	"strings"
	"unicode"
)

// Op is the operation of a piece.
type Op string

// The operations of pieces.
const (
	Keep   Op = "keep"
	Delete Op = "delete"
	Insert Op = "insert"
)

// Piece is a kept, deleted or inserted part of a text.
type Piece struct {
	Op   Op     `json:"op"`
	Text string `json:"text"`
}

// findWords decreases budget by the number of tried edits. Texts with little in common are replaced
// as a whole.
func findWords(before, after string, budget *int) []Piece {
	x, y := splitTokens(before), splitTokens(after)
	all := x
	lead := commonLength(x, y, func(s []string, i int) string { return s[i] })
	x, y = x[lead:], y[lead:]
	tail := commonLength(x, y, func(s []string, i int) string { return s[len(s)-1-i] })
	edits := []Piece{{Keep, strings.Join(all[:lead], "")}}
	edits = append(edits, shortestEdit(x[:len(x)-tail], y[:len(y)-tail], budget)...)
	edits = append(edits, Piece{Keep, strings.Join(x[len(x)-tail:], "")})
	pieces := joinPieces(edits)
	if before != "" && after != "" && 2*countKept(pieces) < minKept*(len(before)+len(after))/100 {
		return []Piece{{Delete, before}, {Insert, after}}
	}
	return pieces
}

// minKept is a percentage. Below minKept, common words are coincidences.
const minKept = 25

func countKept(pieces []Piece) int {
	n := 0
	for _, p := range pieces {
		if p.Op == Keep {
			n += len(p.Text)
		}
	}
	return n
}

func splitTokens(s string) []string {
	var all []string
	start, isSpace := 0, false
	for i, r := range s {
		if unicode.IsSpace(r) != isSpace {
			if i > start {
				all = append(all, s[start:i])
			}
			start, isSpace = i, !isSpace
		}
	}
	if s != "" {
		all = append(all, s[start:])
	}
	return all
}

func commonLength(x, y []string, element func([]string, int) string) int {
	n := 0
	for n < len(x) && n < len(y) && element(x, n) == element(y, n) {
		n++
	}
	return n
}

// The memory of a search grows with the square of maxEdits. All searches of one comparison share
// maxAllEdits.
const (
	maxEdits    = 400
	maxAllEdits = 1 << 23
)

// edited is one row of the diff algorithm by Myers, after d edits. An entry is the furthest
// position in the first text on a diagonal. Diagonal k has index (k+d)/2.
type edited []int

func (e edited) on(k int) (x int, ok bool) {
	d := len(e) - 1
	if k < -d || k > d || (k+d)%2 != 0 {
		return 0, false
	}
	return e[(k+d)/2], true
}

func shortestEdit(x, y []string, budget *int) []Piece {
	if len(x) == 0 || len(y) == 0 {
		return replacePieces(x, y)
	}
	var trace []edited
	for d := 0; d <= min(len(x)+len(y), maxEdits); d++ {
		if *budget -= d + 1; *budget < 0 {
			break
		}
		row := make(edited, d+1)
		for k := -d; k <= d; k += 2 {
			furthest := 0
			if d > 0 {
				furthest, _ = trace[d-1].furthestOn(k)
			}
			for furthest < len(x) && furthest-k < len(y) && x[furthest] == y[furthest-k] {
				furthest++
			}
			row[(k+d)/2] = furthest
			if furthest >= len(x) && furthest-k >= len(y) {
				return walkBack(x, y, append(trace, row))
			}
		}
		trace = append(trace, row)
	}
	return replacePieces(x, y)
}

// furthestOn returns the furthest position on diagonal k after one more edit. The edit is a step
// right from diagonal k-1 or a step down from diagonal k+1.
func (e edited) furthestOn(k int) (x int, op Op) {
	before, fromLeft := e.on(k - 1)
	up, fromUp := e.on(k + 1)
	if !fromLeft || fromUp && before < up {
		return up, Insert
	}
	return before + 1, Delete
}

func walkBack(x, y []string, trace []edited) []Piece {
	var back []Piece
	i, j := len(x), len(y)
	for d := len(trace) - 1; d > 0; d-- {
		first, op := trace[d-1].furthestOn(i - j)
		for ; i > first; i, j = i-1, j-1 {
			back = append(back, Piece{Keep, x[i-1]})
		}
		if op == Delete {
			back, i = append(back, Piece{Delete, x[i-1]}), i-1
		} else {
			back, j = append(back, Piece{Insert, y[j-1]}), j-1
		}
	}
	for ; i > 0; i-- {
		back = append(back, Piece{Keep, x[i-1]})
	}
	slices.Reverse(back)
	return back
}

func replacePieces(x, y []string) []Piece {
	return []Piece{{Delete, strings.Join(x, "")}, {Insert, strings.Join(y, "")}}
}

func joinPieces(pieces []Piece) []Piece {
	var all []Piece
	var unchanged, deleted, inserted strings.Builder
	flush := func() {
		all = appendPiece(all, Keep, unchanged.String())
		all = appendPiece(appendPiece(all, Delete, deleted.String()), Insert, inserted.String())
		unchanged.Reset()
		deleted.Reset()
		inserted.Reset()
	}
	for i, piece := range pieces {
		isChanging := deleted.Len()+inserted.Len() > 0
		switch {
		case piece.Op == Delete:
			deleted.WriteString(piece.Text)
		case piece.Op == Insert:
			inserted.WriteString(piece.Text)
		case isChanging && isBridge(pieces[i:]):
			deleted.WriteString(piece.Text)
			inserted.WriteString(piece.Text)
		case isChanging:
			flush()
			fallthrough
		default:
			unchanged.WriteString(piece.Text)
		}
	}
	flush()
	return all
}

func isBridge(pieces []Piece) bool {
	return len(pieces) > 1 && strings.TrimSpace(pieces[0].Text) == "" && pieces[1].Op != Keep && pieces[1].Text != ""
}

func appendPiece(pieces []Piece, op Op, text string) []Piece {
	if last := len(pieces) - 1; last >= 0 && pieces[last].Op == op {
		pieces[last].Text += text
		return pieces
	}
	if text == "" {
		return pieces
	}
	return append(pieces, Piece{op, text})
}

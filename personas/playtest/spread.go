package playtest

import (
	"maps"
	"slices"
)

// Spread is the distribution of a number over plays.
type Spread struct {
	Count  int      `json:"count"`
	Min    int      `json:"min"`
	Median int      `json:"median"`
	P95    int      `json:"p95"`
	Max    int      `json:"max"`
	Mean   float64  `json:"mean"`
	Bars   []Bucket `json:"histogram"`
}

// Bucket contains the count of the numbers from From to To.
type Bucket struct {
	From  int `json:"from"`
	To    int `json:"to"`
	Count int `json:"count"`
}

const maxBars = 12

func newSpread(counts map[int]int) Spread {
	numbers := slices.Sorted(maps.Keys(counts))
	if len(numbers) == 0 {
		return Spread{Bars: []Bucket{}}
	}
	s := Spread{Min: numbers[0], Max: numbers[len(numbers)-1]}
	sum := 0.0
	for _, n := range numbers {
		s.Count += counts[n]
		sum += float64(n) * float64(counts[n])
	}
	s.Mean = sum / float64(s.Count)
	s.Median, s.P95 = findQuantile(numbers, counts, (s.Count+1)/2), findQuantile(numbers, counts, (s.Count*95+99)/100)
	s.Bars = cutBuckets(numbers, counts)
	return s
}

// findQuantile returns the number at the position rank, from 1, if all numbers are sorted.
func findQuantile(numbers []int, counts map[int]int, rank int) int {
	for _, n := range numbers {
		if rank -= counts[n]; rank <= 0 {
			return n
		}
	}
	return numbers[len(numbers)-1]
}

func cutBuckets(numbers []int, counts map[int]int) []Bucket {
	low, high := numbers[0], numbers[len(numbers)-1]
	width := (high-low)/maxBars + 1
	all := make([]Bucket, (high-low)/width+1)
	for i := range all {
		all[i] = Bucket{From: low + i*width, To: min(low+(i+1)*width-1, high)}
	}
	for _, n := range numbers {
		all[(n-low)/width].Count += counts[n]
	}
	return all
}

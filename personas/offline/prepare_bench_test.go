package offline

import "testing"

// BenchmarkPrepare makes a state of a sample ready, which has some hundred examples: what a player
// waits for once.
func BenchmarkPrepare(b *testing.B) {
	r, at := NewReader(), readCorpus(b, "sample-baker")[0].Place
	r.prepareState(&at, "")
	b.ReportAllocs()
	for b.Loop() {
		r.prepareState(&at, "")
	}
}

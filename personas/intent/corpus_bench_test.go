package intent

import "testing"

// BenchmarkCorpus decides people's lines about the samples, whose states compare a message with
// some hundred texts each, and about personas with a handful.
func BenchmarkCorpus(b *testing.B) {
	for name, of := range map[string][]string{
		"samples": {"sample-baker", "sample-merchant", "sample-gate", "sample-cafe", "sample-hotel"}, "newest": newestPersonas,
	} {
		b.Run(name, func(b *testing.B) {
			r := NewReader()
			var lines []CorpusLine
			for _, persona := range of {
				lines = append(lines, readCorpus(b, persona)...)
			}
			for i := range lines {
				r.Decide(lines[i].Place, "hello")
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				l := &lines[i%len(lines)]
				r.decide(l.Place, r.prepare(&l.Place), l.Text)
			}
		})
	}
}

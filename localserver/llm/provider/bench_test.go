package provider

import (
	"errors"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
)

// BenchmarkFirstPiece is the time from Ask to the first piece of the text, with
// a double on loopback that answers at once; the rest of the answer is left.
func BenchmarkFirstPiece(b *testing.B) {
	for _, model := range models {
		b.Run(model, func(b *testing.B) {
			a := newFakeProvider(b, llmtest.New(llmtest.Sequence(llmtest.Script{Text: spoken}))).newAsker(b, model)
			r, first := fullRequest(), errors.New("the first piece is here")
			for b.Loop() {
				if _, err := a.Ask(b.Context(), r, func(string) error { return first }); err != first {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAsk is a whole streamed answer of 200 pieces.
func BenchmarkAsk(b *testing.B) {
	pieces := make([]string, 200)
	for i := range pieces {
		pieces[i] = "word "
	}
	for _, model := range models {
		b.Run(model, func(b *testing.B) {
			a := newFakeProvider(b, llmtest.New(llmtest.Sequence(llmtest.Script{Pieces: pieces}))).newAsker(b, model)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.Ask(b.Context(), fullRequest(), func(string) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecode is reading such a stream without a connection.
func BenchmarkDecode(b *testing.B) {
	pieces := make([]string, 200)
	for i := range pieces {
		pieces[i] = "word "
	}
	for _, model := range models {
		data := streamOf(b, llmtest.New(llmtest.Sequence(llmtest.Script{Pieces: pieces})), model)
		target, _ := ParseModelName(model)
		p, _ := findProvider(target.Provider)
		b.Run(model, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := decodeStream(p.Format, data, 1<<20); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

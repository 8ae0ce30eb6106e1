package prompt

import (
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	maxSamples, maxSample = 6, 240
)

func (p *page) sampleLines() []string {
	var samples []string
	seen := map[string]bool{}
	add := func(lines []string, most int) {
		for _, line := range lines[:min(len(lines), most)] {
			text := joinLines(p.expandText("offline.lines", plaintext.ClipWithin(line, maxSample)))
			if text != "" && !seen[text] && len(samples) < maxSamples {
				seen[text] = true
				samples = append(samples, quoteJSON(text))
			}
		}
	}
	if o := p.state.Offline; o != nil {
		decision := p.Decision
		if p.FollowUp {
			decision = personas.FollowUpName
		}
		add(o.Lines.Of(decision), 2)
		add(o.Opening, 1)
		for _, d := range [...]string{string(personas.DecideRedirect), string(personas.DecidePass), personas.FollowUpName} {
			add(o.Lines.Of(d), 1)
		}
	}
	for _, answer := range p.authorsAnswers() {
		add(answer.Say, 1)
	}
	return samples
}

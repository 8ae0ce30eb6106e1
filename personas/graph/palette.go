package graph

import "github.com/parley-npc/parley/personas"

type hue struct{ light, dark string }

// Names of hues. People with any kind of colour blindness can distinguish the hues of decisions
// (after Okabe and Ito, darkened so that text is readable).
const (
	huePaper   = "paper"
	hueInk     = "ink"
	hueFaint   = "faint"
	hueGroup   = "group"
	hueState   = "state"
	hueLine    = "line"
	hueLink    = "tie"
	huePass    = "pass"
	hueRedir   = "redirect"
	hueReject  = "reject"
	hueKick    = "kick"
	hueHit     = "hit"
	hueMissed  = "missed"
	hueNever   = "never"
	hueHitBg   = "hit-bg"
	hueMissBg  = "missed-bg"
	hueNeverBg = "never-bg"
	hueNone    = ""
)

var hues = map[string]hue{
	huePaper:   {"#ffffff", "#14171c"},
	hueInk:     {"#1b1f24", "#e8eaed"},
	hueFaint:   {"#59636e", "#9aa4af"},
	hueGroup:   {"#f3f5f7", "#1c2128"},
	hueState:   {"#ffffff", "#2a313a"},
	hueLine:    {"#6e7781", "#8b949e"},
	hueLink:    {"#444c56", "#c0c8d0"},
	huePass:    {"#00714f", "#3ccf9c"},
	hueRedir:   {"#0a5ea8", "#6cb6ff"},
	hueReject:  {"#b04a00", "#ff9d5c"},
	hueKick:    {"#8f2a77", "#ec8fd2"},
	hueHit:     {"#00714f", "#3ccf9c"},
	hueMissed:  {"#b04a00", "#ff9d5c"},
	hueNever:   {"#8f2a77", "#ec8fd2"},
	hueHitBg:   {"#dff3ea", "#123529"},
	hueMissBg:  {"#fdebdc", "#40260f"},
	hueNeverBg: {"#f6e3f1", "#3b1a33"},
}

// dashes are alternating lengths of dashes and gaps, by decision.
var dashes = map[personas.Decision][]float64{
	personas.DecideRedirect: {9, 3, 2, 3},
	personas.DecideReject:   {6, 4},
	personas.DecideKickOut:  {1.5, 3},
}

func hueOf(d personas.Decision) string {
	switch d {
	case personas.DecidePass:
		return huePass
	case personas.DecideRedirect:
		return hueRedir
	case personas.DecideReject:
		return hueReject
	case personas.DecideKickOut:
		return hueKick
	}
	return hueFaint
}

func (v *arrow) arrowHue() string {
	switch {
	case v.mark.Tone != Plain:
		return v.mark.Tone.lineHue()
	case v.marked:
		return hueFaint
	}
	return hueOf(v.decision)
}

func (t Tone) lineHue() string {
	return [...]string{hueLine, hueHit, hueMissed, hueNever}[t]
}

func (t Tone) groundHue() string {
	return [...]string{hueState, hueHitBg, hueMissBg, hueNeverBg}[t]
}

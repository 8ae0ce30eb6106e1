package intent

import (
	"context"
	"math"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestCalibration: accurate probabilities have error 0; certainty that is right half of the time has 0.5.
func TestCalibration(t *testing.T) {
	var honest, boastful Calibration
	for i := range 100 {
		honest.Add(0.25, i < 25)
		honest.Add(0.85, i < 85)
		boastful.Add(1, i < 50)
	}
	got := honest.Error()
	assert.True(t, got <= 1e-9, "an accurate judge has an error of %f", got)
	got = boastful.Error()
	assert.True(t, math.Abs(got-0.5) <= 1e-9, "an always certain judge has an error of %f", got)
	bins := honest.Bins()
	assert.True(t, len(bins) == 2 && bins[0].Lines == 100 && bins[0].From == 0.2 && math.Abs(bins[1].Right-0.85) <= 1e-9, "bins %+v", bins)
	var odd Calibration
	for _, p := range []float64{-1, 2, math.NaN(), math.Inf(1)} {
		odd.Add(p, true)
	}
	assert.True(t, odd.Error() <= 1 && len(odd.Bins()) == 2, "odd probabilities: %+v", odd.Bins())
	assert.Equal(t, (&Calibration{}).Error(), 0, "an empty calibration has an error")
}

// fitLines returns lines with kick_out at 0.8 if right and 0.6 if innocent, and passes from 0.3 on.
func fitLines() []Line {
	var lines []Line
	add := func(wanted, decision string, p float64) {
		lines = append(lines, Line{Choices: []Choice{{Decision: decision, Probability: p}, {Decision: "aside", Probability: 1 - p}}, Wanted: wanted})
	}
	for range 10 {
		add("kick_out", "kick_out", 0.8)
		add("aside", "kick_out", 0.6)
		add("pass", "pass", 0.72)
		add("aside", "pass", 0.62)
	}
	return lines
}

func TestPolicyFit(t *testing.T) {
	lines := fitLines()
	fitted, err := Policy{"pass": {Probability: 0.9, Near: 0.1}, "kick_out": {Probability: 0.1, Ask: 0.05}}.Fit(lines, context.Background().Err)
	assert.Must(t, err == nil && fitted.weigh(lines) == len(lines), "%v, %v: %d of %d", fitted, err, fitted.weigh(lines), len(lines))
	p := fitted["pass"]
	assert.True(t, p.Near == 0.1 && p.Probability <= 0.72 && p.Probability > 0.62, "pass %+v", p)
	good := Policy{"pass": {Probability: 0.7}, "kick_out": {Probability: 0.7}}
	again, _ := good.Fit(lines, context.Background().Err)
	assert.True(t, again["pass"] == good["pass"] && again["kick_out"] == good["kick_out"], "good thresholds became %v", again)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = (Policy{}).Fit(fitLines(), ctx.Err)
	assert.True(t, err != nil, "the fit was not canceled")
}

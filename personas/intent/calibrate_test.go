package intent

import (
	"context"
	"math"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestCalibration: accurate probabilities have error 0; certainty that is right half of the time has 0.5.
func TestCalibration(t *testing.T) {
	var honest, boastful, odd Calibration
	for i := range 100 {
		honest.Add(0.25, i < 25)
		honest.Add(0.85, i < 85)
		boastful.Add(1, i < 50)
	}
	for _, p := range []float64{-1, 2, math.NaN(), math.Inf(1)} {
		odd.Add(p, true)
	}
	bins := honest.Bins()
	assert.True(t, honest.Error() <= 1e-9, "honest: error %f", honest.Error())
	assert.True(t, math.Abs(boastful.Error()-0.5) <= 1e-9, "boastful: error %f", boastful.Error())
	assert.Must(t, len(bins) == 2, "bins %+v", bins)
	assert.Equal(t, bins[0].Lines, 100, "lines")
	assert.Equal(t, bins[0].From, 0.2, "from")
	assert.True(t, math.Abs(bins[1].Right-0.85) <= 1e-9, "bins %+v", bins)
	assert.True(t, odd.Error() <= 1, "odd probabilities: error %f", odd.Error())
	assert.Equal(t, len(odd.Bins()), 2, "bins of odd probabilities")
	assert.Equal(t, (&Calibration{}).Error(), 0, "error without decisions")
}

func TestPolicyFit(t *testing.T) {
	var lines []Line
	for range 10 { // kick_out at 0.8 is right and at 0.6 wrong, a pass at 0.72 is right and at 0.62 wrong
		for _, l := range []struct {
			wanted, decision string
			p                float64
		}{{"kick_out", "kick_out", 0.8}, {"aside", "kick_out", 0.6}, {"pass", "pass", 0.72}, {"aside", "pass", 0.62}} {
			lines = append(lines, Line{Choices: []Choice{{Decision: l.decision, Probability: l.p}, {Decision: "aside", Probability: 1 - l.p}}, Wanted: l.wanted})
		}
	}
	fitted, err := Policy{"pass": {Probability: 0.9, Near: 0.1}, "kick_out": {Probability: 0.1, Ask: 0.05}}.Fit(lines, context.Background().Err)
	p := fitted["pass"]
	assert.True(t, err == nil && fitted.weigh(lines) == len(lines) && p.Near == 0.1 && p.Probability <= 0.72 && p.Probability > 0.62, "%v, %v", fitted, err)
	good := Policy{"pass": {Probability: 0.7}, "kick_out": {Probability: 0.7}}
	again, _ := good.Fit(lines, context.Background().Err)
	assert.True(t, again["pass"] == good["pass"] && again["kick_out"] == good["kick_out"], "good thresholds became %v", again)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = (Policy{}).Fit(lines, ctx.Err)
	assert.ErrorIs(t, err, context.Canceled)
}

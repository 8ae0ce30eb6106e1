package hosted

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/intent"
)

// BuiltIn is the name of the built-in judge.
const BuiltIn = "offline"

// SplitJudges parses a choice of judges, for example "offline", "openai/gpt-4o" or
// "offline,openai/gpt-4o". In the last form, the model is asked only if the built-in judge is
// unsure.
func SplitJudges(name string) (builtIn bool, model string) {
	first, second, two := strings.Cut(name, ",")
	if strings.TrimSpace(first) != BuiltIn {
		return false, strings.TrimSpace(name)
	}
	if !two {
		return true, ""
	}
	return true, strings.TrimSpace(second)
}

// A twoJudges multiplies the probabilities of both judges if the first judge is unsure. Fitted
// weights for the judges were 1.
type twoJudges struct{ first, second llm.Judge }

// minConfidence is the confidence with 95 percent accuracy outside the training set (go test
// ./personas/intent -run TestReport -report). Other decisions never reach this accuracy.
var minConfidence = map[string]float64{"pass": 0.93, "redirect": 0.89, "reject": 0.67, "kick_out": 0.87}

func (t *twoJudges) Evaluate(ctx context.Context, input llm.Input) (llm.Evaluation, error) {
	first, err := t.first.Evaluate(ctx, input)
	if err != nil || first.OfflineVerdict == nil { // nil after a director's mark
		return first, err
	}
	first.Method = BuiltIn
	if minimum, ok := minConfidence[first.OfflineVerdict.Decision]; ok && first.OfflineVerdict.Confidence >= minimum {
		return first, nil
	}
	second, failed := t.second.Evaluate(ctx, input)
	switch {
	case ctx.Err() != nil:
		return second, failed
	case failed != nil:
		first.Why += "; the second judge failed: " + failed.Error()
		first.Usage, first.Took = second.Usage, second.Took
		return first, nil //nolint:nilerr // the first judge's verdict is used
	case len(second.Choices) == 0:
		return first, nil
	}
	mixed := llm.Evaluation{
		Choices: mix(&first, second.Choices), Method: BuiltIn + ", " + second.Method,
		Usage: second.Usage, Took: second.Took,
	}
	decide(&mixed, mixedPolicy, input)
	mixed.Why += fmt.Sprintf("; offline alone: %s %.2f", first.OfflineVerdict.Decision, first.OfflineVerdict.Confidence)
	if mixed.Decision(input.Machine) == first.OfflineVerdict.Decision {
		mixed.OfflineVerdict = first.OfflineVerdict
	}
	return mixed, nil
}

// mixedPolicy has no thresholds for margins, because the probabilities already combine both judges.
var mixedPolicy = intent.Policy{"reject": {Probability: 0.5, Ask: 0.35}, "kick_out": {Probability: 0.6, Ask: 0.35}}

func mix(first *llm.Evaluation, choices []llm.Choice) []llm.Choice {
	mixed, sum := slices.Clone(choices), 0.0
	matches := 0
	for _, c := range choices {
		if isFirstChoice(first, c) {
			matches++
		}
	}
	for i, c := range choices {
		p := (1 - first.OfflineVerdict.Confidence) / float64(max(len(choices)-matches, 1))
		if isFirstChoice(first, c) {
			p = first.OfflineVerdict.Confidence / float64(matches)
		}
		mixed[i].Probability = max(p, 1e-6) * max(c.Probability, 1e-6)
		sum += mixed[i].Probability
	}
	for i := range mixed {
		mixed[i].Probability /= sum
	}
	return mixed
}

func isFirstChoice(first *llm.Evaluation, c llm.Choice) bool {
	if c.Decision != first.OfflineVerdict.Decision {
		return false
	}
	if len(first.Matches) == 0 || c.Transition < 0 {
		return true
	}
	return slices.ContainsFunc(first.Matches, func(match llm.Match) bool { return match.Transition == c.Transition })
}

package judge

import "testing"

var policy = Policy{
	"pass":     {Probability: 0.4},
	"reject":   {Probability: 0.5, Near: 0.1, Behind: 0.05, Sure: 0.95, Ask: 0.5},
	"kick_out": {Probability: 0.9, Ask: 0.6},
}

func TestDecide(t *testing.T) {
	t.Parallel()
	near := func(near, other float64) *Evidence { return &Evidence{Near: near, Other: other} }
	for _, c := range []struct {
		name    string
		choices []Choice
		mayAsk  bool
		want    int
		ask     bool
	}{
		{"most probable", []Choice{{"pass", 0.7, nil}, {"redirect", 0.1, nil}, {"aside", 0.2, nil}}, true, 0, false},
		{"several ways to pass are one decision", []Choice{{"pass", 0.3, nil}, {"pass", 0.2, nil}, {"redirect", 0.45, nil}, {"aside", 0.05, nil}}, true, 0, false},
		{"a doubtful pass is none", []Choice{{"pass", 0.38, nil}, {"redirect", 0.3, nil}, {"aside", 0.32, nil}}, true, 2, false},
		{"a doubtful kick_out is asked about", []Choice{{"pass", 0.1, nil}, {"kick_out", 0.8, nil}, {"aside", 0.1, nil}}, true, 1, true},
		{"and is an aside where nobody may ask", []Choice{{"pass", 0.05, nil}, {"kick_out", 0.8, nil}, {"aside", 0.15, nil}}, false, 2, false},
		{"a reject like no example is asked about", []Choice{{"reject", 0.9, near(0.05, 0)}, {"aside", 0.1, nil}}, true, 0, true},
		{"one near to an example of an aside too", []Choice{{"reject", 0.6, near(0.42, 0.73)}, {"aside", 0.4, nil}}, false, 1, false},
		{"a sure one needs no example", []Choice{{"reject", 0.96, near(0.05, 0)}, {"aside", 0.04, nil}}, true, 0, false},
		{"a redirect needs nothing", []Choice{{"redirect", 0.5, near(0, 0.9)}, {"aside", 0.5, nil}}, true, 0, false},
		{"all held back", []Choice{{"reject", 0.6, near(0, 0)}, {"kick_out", 0.3, nil}, {"aside", 0.1, nil}}, false, 2, false},
	} {
		if got := policy.Decide(c.choices, c.mayAsk); got.Choice != c.want || got.Ask != c.ask {
			t.Errorf("%s: %+v, want choice %d, ask %t", c.name, got, c.want, c.ask)
		}
	}
}

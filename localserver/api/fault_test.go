package api

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]FaultRule{
		"status=503,rate=0.1":                            {Status: 503, Rate: 0.1},
		"latency=2s,path=/message":                       {Latency: 2 * time.Second, Path: "/message"},
		"status=429,retry-after=5,every=10":              {Status: 429, RetryAfter: 5 * time.Second, Every: 10},
		"status=429":                                     {Status: 429, RetryAfter: time.Second},
		"status=503, retry-after=3600":                   {Status: 503, RetryAfter: time.Hour},
		" latency = 5m , status = 500 ":                  {Latency: 5 * time.Minute, Status: 500},
		"rate=1,status=504,seed=0":                       {Status: 504, Rate: 1},
		"status=502,rate=1e-9,seed=18446744073709551615": {Status: 502, Rate: 1e-9, Seed: math.MaxUint64},
		"path=/sdk/chat/,latency=1ns":                    {Path: "/sdk/chat", Latency: 1},
		"every=1000000000,status=400":                    {Status: 400, Every: MaxEvery},
	} {
		t.Run(text, func(t *testing.T) {
			got := assert.Value(ParseFault(text))(t)
			assert.Equal(t, got, want)
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                               `member "": must be one of status`,
		"rate=0.5":                       "a status or a latency is required",
		"path=/x":                        "a status or a latency is required",
		"status=200":                     `member "status=200": must be one of 400 401`,
		"status=999":                     "must be one of",
		"status":                         "must be one of",
		"status=503,status=503":          "twice",
		"status=503,":                    `member ""`,
		"stats=503":                      `member "stats=503"`,
		"Status=503":                     "must be one of status",
		"status=503,rate=0":              `member "rate=0": must be a number`,
		"status=503,rate=1.01":           "must be a number",
		"status=503,rate=NaN":            "must be a number",
		"status=503,rate=-1":             "must be a number",
		"status=503,every=0":             "whole number from 1",
		"status=503,every=1000000001":    "whole number from 1",
		"status=503,every=2,rate=0.5":    "mutually exclusive",
		"status=503,seed=1":              "seed requires rate",
		"status=503,rate=1,seed=-1":      "0 or more",
		"latency=2":                      "such as 200ms",
		"latency=0s":                     "such as 200ms",
		"latency=-1s":                    "such as 200ms",
		"latency=300000000001ns":         "at most 5m0s",
		"status=500,retry-after=5":       "status=429 or status=503",
		"status=429,retry-after=0":       "from 1 to 3600",
		"status=429,retry-after=3601":    "from 1 to 3600",
		"status=429,retry-after=1.5":     "from 1 to 3600",
		"status=503,path=message":        "begin with a slash",
		"status=503,path=/":              "begin with a slash",
		"status=503,path=/a\x1b[m":       "begin with a slash",
		"status=503,path=/ä":             "begin with a slash",
		"status=503,path=a//":            "begin with a slash",
		"status=503,rate=0.1 \x1b[31m\n": `0.1 \x1b[31m`,
	} {
		t.Run(text, func(t *testing.T) {
			_, err := ParseFault(text)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			} else if strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("the error has it raw: %q", err)
			}
		})
	}
}

// FuzzParse: a parsed rule can be written and read again, and is within the limits.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"status=503,rate=0.1", "latency=2s,path=/message", "status=429,retry-after=5,every=10", "status=500,rate=1,seed=7", "a=b=c,,"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseFault(text)
		if err != nil {
			return
		}
		again, err := ParseFault(r.String())
		assert.Must(t, err == nil && again == r, "%q is %+v, written %q, read %+v, %v", text, r, r, again, err)
		if r.Latency < 0 || r.Latency > MaxLatency || r.Rate < 0 || r.Rate > 1 || (r.Status == 0 && r.Latency == 0) {
			t.Fatalf("%q is %+v", text, r)
		}
		combineFaults(countRules([]FaultRule{r}), "/api/v1/personas")
	})
}

func parsePlan(t *testing.T, texts ...string) []*countedRule {
	t.Helper()
	var rules []FaultRule
	for _, text := range texts {
		r := assert.Value(ParseFault(text))(t)
		rules = append(rules, r)
	}
	return countRules(rules)
}

func TestPaths(t *testing.T) {
	for path, want := range map[string]bool{
		"/api/v1/chat/1/message": true, "/api/v1/chat/1/message/stream": true, "/api/v1/sdk/chat/1/message": true,
		"/api/v1/chat/1/messages": false, "/api/v1/chat/my-message/history": false, "/api/v1/chat/message/history": true, "/api/v1/personas": false,
	} {
		t.Run(path, func(t *testing.T) {
			assert.Equal(t, combineFaults(parsePlan(t, "status=503,path=/message"), path).Status == 503, want)
		})
	}
}

func TestRulesTogether(t *testing.T) {
	p := parsePlan(t, "latency=1s", "status=429,retry-after=5,every=2", "latency=2s,status=503,every=3")
	want := []FaultRule{
		{Latency: time.Second},
		{Latency: time.Second, Status: 429, RetryAfter: 5 * time.Second},
		{Latency: 3 * time.Second, Status: 503},
		{Latency: time.Second, Status: 429, RetryAfter: 5 * time.Second},
		{Latency: time.Second},
		{Latency: 3 * time.Second, Status: 429, RetryAfter: 5 * time.Second},
	}
	for i, w := range want {
		assert.Equal(t, combineFaults(p, "/"), w, "request %d", i+1)
	}
}

func TestEveryIsExact(t *testing.T) {
	p := parsePlan(t, "status=503,every=7,path=/message")
	var hits atomic.Int32
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			for range 700 {
				combineFaults(p, "/history")
				if combineFaults(p, "/message").Status != 0 {
					hits.Add(1)
				}
			}
		})
	}
	group.Wait()
	assert.Equal(t, hits.Load(), 1000, "hit")
}

func hitPattern(p []*countedRule, n int) []bool {
	hits := make([]bool, n)
	for i := range hits {
		hits[i] = combineFaults(p, "/").Status != 0
	}
	return hits
}

func TestRateAndSeed(t *testing.T) {
	const n = 20_000
	for _, rate := range []string{"0.01", "0.1", "0.5", "1"} {
		t.Run(rate, func(t *testing.T) {
			seeded := hitPattern(parsePlan(t, "status=503,seed=7,rate="+rate), n)
			assert.DeepEqual(t, seeded, hitPattern(parsePlan(t, "status=503,seed=7,rate="+rate), n), "rate %s: the same seed gives other faults", rate)
			other := hitPattern(parsePlan(t, "status=503,seed=8,rate="+rate), n)
			assert.True(t, rate == "1" || !reflect.DeepEqual(seeded, other), "rate %s: another seed gives the same faults", rate)
			r, _ := ParseFault("status=503,rate=" + rate)
			hits := 0.0
			for _, hit := range seeded {
				if hit {
					hits++
				}
			}
			assert.True(t, math.Abs(hits-n*r.Rate) <= 4*math.Sqrt(n*r.Rate*(1-r.Rate)), "rate %s: %v of %d", rate, hits, n)
		})
	}
	both := parsePlan(t, "status=503,rate=0.5", "latency=1s,rate=0.5")
	together := 0
	for range n {
		if hit := combineFaults(both, "/"); hit.Status != 0 && hit.Latency != 0 {
			together++
		}
	}
	assert.True(t, together >= n/5 && together <= 3*n/10,
		"two rules of the same seed hit %d of %d together, want a quarter", together, n)
}

// String returns the rule in the format that ParseFault reads.
func (r FaultRule) String() string {
	var members []string
	add := func(given bool, name string, value any) {
		if given {
			members = append(members, fmt.Sprintf("%s=%v", name, value))
		}
	}
	add(r.Status != 0, "status", r.Status)
	add(r.RetryAfter != 0, "retry-after", int(r.RetryAfter/time.Second))
	add(r.Latency != 0, "latency", r.Latency)
	add(r.Rate != 0, "rate", r.Rate)
	add(r.Every != 0, "every", r.Every)
	add(r.Path != "", "path", r.Path)
	add(r.Seed != 0, "seed", r.Seed)
	return strings.Join(members, ",")
}

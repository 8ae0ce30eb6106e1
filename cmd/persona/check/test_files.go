package check

import (
	"time"

	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playtest"
)

type testRun struct {
	playFiles  []*playFile
	personas   []*testedPersona
	faulty     []*personafiles.File // personas with errors, which cannot be played
	mutants    []mutantResult
	notUpdated int // number of expectations that --update could not rewrite
	unread     int // number of files that could not be read
	uncounted  int // number of personas with errors that no play file refers to

	mutantsLeftOut int // number of mutants skipped because they would take too much work
}

func (run *testRun) countBroken() int {
	n := 0
	for _, p := range run.playFiles {
		if len(p.faults) > 0 {
			n++
		}
	}
	return n
}

func (run *testRun) countPlays() int {
	n := 0
	for _, p := range run.playFiles {
		n += len(p.doc.Plays)
	}
	return n
}

type playFile struct {
	name    string
	place   personafiles.Found
	source  []byte
	doc     playtest.File
	places  personas.SourceMap
	persona *testedPersona
	faults  []personas.Diagnostic // why the file cannot be played
	results []playtest.Result
	took    []time.Duration // by result
}

type testedPersona struct {
	*personafiles.File
	path       string
	played     bool              // a play file refers to the persona
	saved      *playtest.Subject // the persona as saved on the service
	saveErr    error             // why the persona could not be saved
	points     []playtest.Point  // points that a player can reach
	witnesses  witnesses
	names      *playtest.Names
	counts     playtest.Hits // how often each point was reached
	impossible int
}

func (run *testRun) countResults() int {
	n := 0
	for _, p := range run.playFiles {
		n += len(p.results)
	}
	return n
}

func (run *testRun) countSteps() int {
	n := 0
	for _, p := range run.playFiles {
		for i := range p.results {
			n += p.results[i].CountSteps()
		}
	}
	return n
}

func (run *testRun) countFailed() int {
	n := 0
	for _, p := range run.playFiles {
		for i := range p.results {
			if r := &p.results[i]; r.Err != nil || len(r.Failures()) > 0 {
				n++
			}
		}
	}
	return n
}

func (run *testRun) sumCoverage() playtest.Tally { return playtest.Sum(run.sumByKind()) }

func (run *testRun) sumByKind() map[playtest.Kind]playtest.Tally {
	sum := map[playtest.Kind]playtest.Tally{}
	for _, tested := range run.personas {
		for kind, t := range tested.countCoverage() {
			sum[kind] = playtest.Tally{Covered: sum[kind].Covered + t.Covered, Total: sum[kind].Total + t.Total}
		}
	}
	return sum
}

func (tested *testedPersona) countCoverage() map[playtest.Kind]playtest.Tally {
	return playtest.Count(tested.points, tested.counts)
}

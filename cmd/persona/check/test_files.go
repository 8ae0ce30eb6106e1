package check

import (
	"time"

	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playtest"
)

// testRun is a test run: the play files of the command line, the personas that they play, and the
// results.
type testRun struct {
	playFiles  []*playFile
	personas   []*testedPersona
	faulty     []*personafiles.File // personas with errors, which nothing can play
	mutants    []mutantResult
	notUpdated int // expectations that --update could not rewrite
	// mutantsLeftOut is how many mutants there was too much work for.
	mutantsLeftOut int
	unread         int // files that could not be read
	uncounted      int // personas with errors that no play file names
}

// countBroken counts the play files that cannot be played.
func (run *testRun) countBroken() int {
	n := 0
	for _, p := range run.playFiles {
		if len(p.faults) > 0 {
			n++
		}
	}
	return n
}

// countPlays counts the play-throughs.
func (run *testRun) countPlays() int {
	n := 0
	for _, p := range run.playFiles {
		n += len(p.doc.Plays)
	}
	return n
}

// playFile is one play file, with the results of its play-throughs once they were
// played. One with faults has neither play-throughs nor a persona.
type playFile struct {
	name    string
	place   personafiles.Found
	source  []byte
	doc     playtest.File
	places  personas.SourceMap
	persona *testedPersona
	faults  []personas.Diagnostic // why it cannot be played
	results []playtest.Result
	took    []time.Duration // by result
}

// testedPersona is a persona under test: its file, the points to cover in it, and the points that
// its play-throughs have covered.
type testedPersona struct {
	*personafiles.File
	path      string
	played    bool              // a play file names it
	saved     *playtest.Subject // as the service has it
	saveErr   error             // why the service does not have it
	points    []playtest.Point  // what a player can reach
	witnesses witnesses
	names     *playtest.Names
	counts    playtest.Hits // how often each point was reached
	// impossible is how many points no player can ever reach.
	impossible int
}

// countResults counts the play-throughs that were played.
func (run *testRun) countResults() int {
	n := 0
	for _, p := range run.playFiles {
		n += len(p.results)
	}
	return n
}

// countSteps counts the steps of all played play-throughs, as written in the play files.
func (run *testRun) countSteps() int {
	n := 0
	for _, p := range run.playFiles {
		for i := range p.results {
			n += p.results[i].CountSteps()
		}
	}
	return n
}

// countFailed counts the play-throughs that did not go as they should.
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

// sumCoverage is the coverage over all personas.
func (run *testRun) sumCoverage() playtest.Tally { return playtest.Sum(run.sumByKind()) }

// sumByKind is the coverage over all personas by the kind of point.
func (run *testRun) sumByKind() map[playtest.Kind]playtest.Tally {
	sum := map[playtest.Kind]playtest.Tally{}
	for _, tested := range run.personas {
		for kind, t := range tested.countCoverage() {
			sum[kind] = playtest.Tally{Covered: sum[kind].Covered + t.Covered, Total: sum[kind].Total + t.Total}
		}
	}
	return sum
}

// countCoverage is the coverage of one persona by the kind of point.
func (tested *testedPersona) countCoverage() map[playtest.Kind]playtest.Tally {
	return playtest.Count(tested.points, tested.counts)
}

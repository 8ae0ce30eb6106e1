package persona

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/tui/terminal"
)

// batchFlags are the flags of a command that handles many items.
type batchFlags struct {
	concurrency int
	failFast    bool
}

const (
	defaultConcurrency = 4
	mostConcurrency    = 64
	// grace is how long calls may still take after an interrupt, so that their results are known
	// and recorded. A second Ctrl-C ends the command at once.
	grace = 5 * time.Second
)

func (b *batchFlags) addBatchFlags(c *cobra.Command) {
	c.Flags().IntVar(&b.concurrency, "concurrency", defaultConcurrency, "send `N` at a time, 1 to 64, within the service's rate limit")
	c.Flags().BoolVar(&b.failFast, "fail-fast", false, "stop after the first failure")
}

func (b *batchFlags) checkBatch() error {
	if b.concurrency < 1 || b.concurrency > mostConcurrency {
		return cli.UsageError("--concurrency %d: it takes a number from 1 to %d", b.concurrency, mostConcurrency)
	}
	return nil
}

// task is the work on one item. Its result is a word, such as "saved".
type task struct {
	name string
	do   func(ctx context.Context) (result string, err error)
}

// taskResult is what became of a task. Without result and error it was not tried.
type taskResult struct {
	name   string
	result string
	err    error
}

// What became of a task that was not done.
const (
	resultFailed   = "failed"
	resultNotTried = "not-tried"
)

// resultWord is the result in one word.
func (o *taskResult) resultWord() string {
	switch {
	case o.err != nil:
		return resultFailed
	case o.result == "":
		return resultNotTried
	}
	return o.result
}

// withPace returns the service with one rate limit for all its calls; the bar shows when
// they wait for it.
func withPace(ctx context.Context, remote *service.Service, bar *cli.ProgressBar) *service.Service {
	other := *remote
	other.Client = remote.WithPace(client.NewPace(ctx.Done(), bar.ShowPause))
	return &other
}

// runTasks does tasks, several at a time. It goes on after a failure, unless the other
// tasks would fail for the same reason. Tasks that are under way when the command is
// interrupted may take as long as grace to end.
func (b *batchFlags) runTasks(ctx context.Context, bar *cli.ProgressBar, tasks []task) []taskResult {
	late, release := extendContext(ctx, grace)
	defer release()
	halt, stop := context.WithCancel(ctx)
	defer stop()
	results := make([]taskResult, len(tasks))
	jobs := make([]func(), len(tasks))
	for i, t := range tasks {
		results[i].name = t.name
		jobs[i] = func() {
			if halt.Err() != nil {
				return
			}
			result, err := t.do(late)
			if errors.Is(err, client.ErrStopped) {
				return
			}
			results[i].result, results[i].err = result, err
			bar.AddDone(t.name)
			if err != nil && (b.failFast || concernsAll(ctx, err)) {
				stop()
			}
		}
	}
	cli.RunParallel(b.concurrency, jobs)
	return results
}

// concernsAll reports whether the tasks after a failed one would fail the same way.
func concernsAll(ctx context.Context, err error) bool {
	code := service.Explain(ctx, err).Code
	return ctx.Err() != nil || code == cli.ExitSignIn || code == cli.ExitRateLimited || code == cli.ExitUsage || service.IsUnreachable(err)
}

// extendContext returns a context that ends a while after another one was cancelled.
func extendContext(ctx context.Context, while time.Duration) (late context.Context, release func()) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(while, cancel)
		context.AfterFunc(late, func() { timer.Stop() })
	})
	return late, func() { stop(); cancel() }
}

// errorText returns why a task failed, or "".
func (o *taskResult) errorText() string {
	if o.err == nil {
		return ""
	}
	return o.err.Error()
}

// printResults prints the results of many items: with --json a list, or one object if only one was
// named; else a line for each item, unless the line is "".
func printResults[T any](streams *cli.Streams, f cli.JSONFlag, single bool, results []taskResult, items []T, line func(T) string) error {
	switch {
	case f.On && !single:
		return streams.PrintJSON(f, items)
	case f.On && (results[0].err == nil || line(items[0]) != ""):
		return streams.PrintJSON(f, items[0])
	case f.On:
		return nil
	}
	for _, item := range items {
		if text := line(item); text != "" {
			if _, err := fmt.Fprintln(streams.Out, terminal.Clean(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// resultWords are the words for a summary: the noun for one item, such as "file", the participle
// for the work, such as "saved", and the possible results in the order of counting.
type resultWords struct {
	noun, done string
	results    []string
}

// summarizeResults returns what became of many tasks. The error has the exit code.
func summarizeResults(ctx context.Context, access *service.Access, words resultWords, results []taskResult) error {
	var left []string
	var failed []*cli.Failure
	for i := range results {
		switch o := &results[i]; {
		case o.resultWord() == resultNotTried:
			left = append(left, o.name)
		case o.err != nil:
			failed = append(failed, explainTask(ctx, access, o))
		}
	}
	for _, f := range failed {
		access.ReportFailure(nil, f)
	}
	access.Say("%s", countResults(append(slices.Clone(words.results), resultFailed, resultNotTried), results))
	if len(left) > 0 {
		access.Say("not %s: %s", words.done, listFirst(left))
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case len(failed) == 0:
		return nil
	}
	missing := len(failed) + len(left)
	return &cli.Failure{Code: exitOf(failed, missing == len(results) || len(left) > 0),
		Err: fmt.Errorf("%s of %d not %s", cli.Pluralize(missing, words.noun), len(results), words.done)}
}

// explainTask returns why a task failed. A task without an answer at the time of an interrupt may
// have been done anyway.
func explainTask(ctx context.Context, access *service.Access, o *taskResult) *cli.Failure {
	if ctx.Err() != nil && errors.Is(o.err, context.Canceled) {
		return &cli.Failure{Code: cli.ExitInterrupted, Err: fmt.Errorf("%s: it was sent, and no answer has come: it may have been done", o.name)}
	}
	return access.Explain(context.WithoutCancel(ctx), o.err)
}

// exitOf returns the exit code for several failures: the common code if all tasks failed or the
// others were not tried, else 1.
func exitOf(failed []*cli.Failure, all bool) int {
	code := failed[0].Code
	if !all || slices.ContainsFunc(failed, func(f *cli.Failure) bool { return f.Code != code }) {
		return cli.ExitNo
	}
	return code
}

// countResults counts results: "saved 3, unchanged 191, failed 1".
func countResults(words []string, results []taskResult) string {
	var parts []string
	for _, word := range words {
		n := 0
		for i := range results {
			if results[i].resultWord() == word {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", strings.ReplaceAll(word, "-", " "), n))
		}
	}
	return strings.Join(parts, ", ")
}

const mostListed = 10

// listFirst names the first of many.
func listFirst(names []string) string {
	text := terminal.Clean(strings.Join(names[:min(len(names), mostListed)], ", "))
	if more := len(names) - mostListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

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

type batchFlags struct {
	concurrency int
	failFast    bool
}

const (
	defaultConcurrency = 4
	maxConcurrency     = 64
	grace              = 5 * time.Second // for running calls after the first Ctrl-C
)

func (b *batchFlags) addBatchFlags(c *cobra.Command) {
	c.Flags().IntVar(&b.concurrency, "concurrency", defaultConcurrency,
		"send `N` files at a time, 1 to 64, within the service's rate limit")
	c.Flags().BoolVar(&b.failFast, "fail-fast", false, "stop after the first failure")
}

func (b *batchFlags) checkBatch() error {
	if b.concurrency < 1 || b.concurrency > maxConcurrency {
		return cli.UsageError("--concurrency %d: must be a number from 1 to %d", b.concurrency, maxConcurrency)
	}
	return nil
}

type task struct {
	name string
	do   func(ctx context.Context, s *service.Service) (result string, err error)
}

// A taskResult has neither result nor err if the task was not started.
type taskResult struct {
	name   string
	result string
	err    error
}

const (
	resultFailed   = "failed"
	resultNotTried = "not-tried"
)

func (o *taskResult) resultWord() string {
	switch {
	case o.err != nil:
		return resultFailed
	case o.result == "":
		return resultNotTried
	}
	return o.result
}

func withPace(ctx context.Context, remote *service.Service, bar *cli.ProgressBar) *service.Service {
	other := *remote
	other.Client = remote.WithPace(client.NewPace(ctx.Done(), bar.ShowPause))
	return &other
}

func (b *batchFlags) runTasks(ctx context.Context, streams *cli.Streams, s *service.Service, label string,
	tasks []task) []taskResult {
	bar := streams.ShowProgress(len(tasks), label)
	defer bar.Finish()
	s = withPace(ctx, s, bar)
	callCtx, release := extendContext(ctx, grace)
	defer release()
	startCtx, stop := context.WithCancel(ctx)
	defer stop()
	results := make([]taskResult, len(tasks))
	jobs := make([]func(), len(tasks))
	for i, t := range tasks {
		results[i].name = t.name
		jobs[i] = func() {
			if startCtx.Err() != nil {
				return
			}
			result, err := t.do(callCtx, s)
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

func concernsAll(ctx context.Context, err error) bool {
	switch service.Explain(ctx, err).Code {
	case cli.ExitSignIn, cli.ExitRateLimited, cli.ExitUsage:
		return true
	}
	return ctx.Err() != nil || service.IsUnreachable(err)
}

func extendContext(ctx context.Context, delay time.Duration) (late context.Context, release func()) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(delay, cancel)
		context.AfterFunc(late, func() { timer.Stop() })
	})
	return late, func() { stop(); cancel() }
}

func (o *taskResult) errorText() string {
	if o.err == nil {
		return ""
	}
	return o.err.Error()
}

func printResults[T any](streams *cli.Streams, f cli.JSONFlag, single bool, results []taskResult, items []T,
	line func(T) string) error {
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

type resultWords struct {
	noun, done string
	results    []string
}

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

func explainTask(ctx context.Context, access *service.Access, o *taskResult) *cli.Failure {
	if ctx.Err() != nil && errors.Is(o.err, context.Canceled) {
		return &cli.Failure{Code: cli.ExitInterrupted,
			Err: fmt.Errorf("%s was interrupted before the server answered: the server may have made the change", o.name)}
	}
	return access.Explain(context.WithoutCancel(ctx), o.err)
}

func exitOf(failed []*cli.Failure, useShared bool) int {
	code := failed[0].Code
	if !useShared || slices.ContainsFunc(failed, func(f *cli.Failure) bool { return f.Code != code }) {
		return cli.ExitNo
	}
	return code
}

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

const maxListed = 10

func listFirst(names []string) string {
	text := terminal.Clean(strings.Join(names[:min(len(names), maxListed)], ", "))
	if more := len(names) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

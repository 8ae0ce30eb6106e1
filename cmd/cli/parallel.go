package cli

import "sync"

// RunParallel runs jobs, at most n at a time, and returns when all are done.
func RunParallel(n int, jobs []func()) {
	next := make(chan func())
	var group sync.WaitGroup
	for range min(n, len(jobs)) {
		group.Go(func() {
			for job := range next {
				job()
			}
		})
	}
	for _, job := range jobs {
		next <- job
	}
	close(next)
	group.Wait()
}

package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/parley-npc/parley/localserver/store/db"
)

// writeQueue holds the writes that wait for the one writing connection. A durable
// commit waits for the disk, and writes that come meanwhile share the next one: one
// caller at a time holds the slot, and commits all that are waiting.
type writeQueue struct {
	slot    chan struct{} // of one; full while a caller commits
	mu      sync.Mutex
	waiting []*writeJob
}

// writeJob is one write. Its work runs inside a savepoint, so that a refusal
// undoes it and nothing else.
type writeJob struct {
	ctx    context.Context
	do     txWork
	synced bool // it must be on the disk before its caller is told
	err    error
	done   chan struct{}
}

// errBroken is the error of a write without a result, as after a panic.
var errBroken = errors.New("the write was broken off")

// Write does the work and commits it, or does nothing. A caller can give up while the write waits
// and until the work is done; after that the commit, which is short, is not interrupted.
func (s *sqliteDatabase) Write(ctx context.Context, do txWork) error {
	return s.runJob(&writeJob{ctx: ctx, do: do, synced: true, err: errBroken, done: make(chan struct{})})
}

// WriteUnsynced is Write; where Durability is Normal, a power cut within syncInterval may
// undo it.
func (s *sqliteDatabase) WriteUnsynced(ctx context.Context, do txWork) error {
	return s.runJob(&writeJob{ctx: ctx, do: do, err: errBroken, done: make(chan struct{})})
}

func (s *sqliteDatabase) runJob(j *writeJob) error {
	s.queue.mu.Lock()
	s.queue.waiting = append(s.queue.waiting, j)
	s.queue.mu.Unlock()
	select {
	case s.queue.slot <- struct{}{}:
		s.commitWaiting()
	case <-j.done:
	case <-j.ctx.Done():
		if s.queue.withdrawJob(j) {
			return j.ctx.Err()
		}
	}
	<-j.done
	return j.err
}

func (q *writeQueue) takeJobs() []*writeJob {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch := q.waiting
	q.waiting = nil
	return batch
}

// withdrawJob removes a job from the queue. It returns false if the job is already running.
func (q *writeQueue) withdrawJob(j *writeJob) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, j)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return i >= 0
}

// commitWaiting runs all waiting jobs. The caller holds the slot, which is released here; the
// caller's own job is among them, or already done.
func (s *sqliteDatabase) commitWaiting() {
	defer func() { <-s.queue.slot }()
	runtime.Gosched() // who is about to write shares this commit
	batch := s.queue.takeJobs()
	defer func() {
		for _, j := range batch {
			close(j.done)
		}
	}()
	errs, err := s.watch.guardCommit(func() ([]error, error) { return s.commitSynced(batch) })
	for i, j := range batch {
		j.err = err
		if err == nil {
			j.err = errs[i]
		}
	}
}

// commitSynced commits the jobs and brings them to the disk as they ask for.
func (s *sqliteDatabase) commitSynced(batch []*writeJob) ([]error, error) {
	if err := s.log.failed(); err != nil {
		return nil, err
	}
	errs, err := s.commitBatch(batch)
	if err != nil || len(batch) == 0 {
		return errs, err
	}
	return errs, s.log.syncCommit(slices.ContainsFunc(batch, func(j *writeJob) bool { return j.synced }))
}

// commitBatch does the jobs one after another in one transaction, and returns the error of each.
// Refusals are rare: only if one occurs in a batch, all jobs are rolled back and repeated so that
// each can be rolled back alone.
func (s *sqliteDatabase) commitBatch(batch []*writeJob) ([]error, error) {
	if len(batch) == 0 {
		return nil, nil
	}
	errs, err := s.commitJobs(batch, (*writeJob).doJob)
	if !errors.Is(err, errRefused) {
		return errs, err
	}
	if len(batch) == 1 {
		return errs, nil
	}
	return s.commitJobs(batch, (*writeJob).tryJob)
}

// commitJobs does the jobs in one transaction, unless one of them breaks it.
func (s *sqliteDatabase) commitJobs(batch []*writeJob, do func(*writeJob, *sql.Tx) (refusal, broken error)) ([]error, error) {
	begun := s.now()
	tx, err := s.writer.BeginTx(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	errs := make([]error, len(batch))
	for i, j := range batch {
		if errs[i], err = do(j, tx); err != nil {
			return errs, err
		}
	}
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	s.committed(len(batch), s.now().Sub(begun))
	return errs, nil
}

// errRefused aborts a transaction if a single job in it cannot be rolled back alone.
var errRefused = errors.New("a write was refused")

// doJob does one job. If a refused job cannot be rolled back alone, it breaks the transaction. Its
// statements are short and are not interrupted when the caller gives up; that is checked
// afterwards.
func (j *writeJob) doJob(tx *sql.Tx) (refusal, broken error) {
	ctx := context.WithoutCancel(j.ctx)
	if refusal = cmp.Or(j.do(ctx, db.NewSQLite(tx)), j.ctx.Err()); refusal != nil {
		return refusal, errRefused
	}
	return nil, nil
}

// tryJob does one job, or undoes it. A savepoint that fails means that SQLite has given up
// the whole transaction, as on a full disk: it must not go on, or it would begin another
// one.
func (j *writeJob) tryJob(tx *sql.Tx) (refusal, broken error) {
	ctx := context.WithoutCancel(j.ctx)
	if _, err := tx.ExecContext(ctx, "SAVEPOINT job"); err != nil {
		return nil, err
	}
	if refusal, _ = j.doJob(tx); refusal != nil {
		if _, err := tx.ExecContext(ctx, "ROLLBACK TO job"); err != nil {
			return nil, errors.Join(refusal, err)
		}
	}
	_, broken = tx.ExecContext(ctx, "RELEASE job")
	return refusal, broken
}

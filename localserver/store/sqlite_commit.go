package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"runtime"
	"slices"

	"github.com/parley-npc/parley/localserver/store/db"
)

var errBroken = errors.New("the write was aborted")

func (s *sqliteDatabase) Write(ctx context.Context, work txWork) error {
	return s.submit(&writeJob{ctx: ctx, work: work, synced: true, err: errBroken, done: make(chan struct{})})
}

func (s *sqliteDatabase) WriteUnsynced(ctx context.Context, work txWork) error {
	return s.submit(&writeJob{ctx: ctx, work: work, err: errBroken, done: make(chan struct{})})
}

func (s *sqliteDatabase) submit(job *writeJob) error {
	s.queue.mu.Lock()
	s.queue.waiting = append(s.queue.waiting, job)
	s.queue.mu.Unlock()
	select {
	case s.queue.slot <- struct{}{}:
		s.commitWaiting()
	case <-job.done:
	case <-job.ctx.Done():
		if s.queue.withdraw(job) {
			return job.ctx.Err()
		}
	}
	<-job.done
	return job.err
}

func (q *writeQueue) withdraw(j *writeJob) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, j)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return i >= 0
}

// The caller must hold the slot. Its own job is either waiting or already done.
func (s *sqliteDatabase) commitWaiting() {
	defer func() { <-s.queue.slot }()
	runtime.Gosched() // let goroutines that are about to write join this commit
	s.queue.mu.Lock()
	batch := s.queue.waiting
	s.queue.waiting = nil
	s.queue.mu.Unlock()
	defer func() {
		for _, j := range batch {
			close(j.done)
		}
	}()
	errs, err := s.commitBatch(batch)
	if err == nil {
		err = s.watch.check() // lost writes must not be acknowledged
	}
	for i, j := range batch {
		if j.err = nameFullDisk(err); err == nil {
			j.err = nameFullDisk(errs[i])
		}
	}
}

// The first attempt has no savepoints, because failures are rare.
func (s *sqliteDatabase) commitBatch(batch []*writeJob) ([]error, error) {
	if s.watch.readOnly {
		return nil, ErrReadOnly
	}
	if err := s.log.failed(); err != nil || len(batch) == 0 {
		return nil, err
	}
	errs, err := s.commitJobs(batch, (*writeJob).run)
	if errors.Is(err, errRefused) {
		err = nil
		if len(batch) > 1 {
			errs, err = s.commitJobs(batch, (*writeJob).runInSavepoint)
		}
	}
	if err != nil {
		return nil, err
	}
	return errs, s.log.syncOrSchedule(slices.ContainsFunc(batch, func(j *writeJob) bool { return j.synced }))
}

func (s *sqliteDatabase) commitJobs(
	batch []*writeJob, run func(*writeJob, *sql.Tx) (refusal, broken error),
) ([]error, error) {
	started := s.now()
	tx, err := s.writer.BeginTx(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	errs := make([]error, len(batch))
	for i, j := range batch {
		if errs[i], err = run(j, tx); err != nil {
			return errs, err
		}
	}
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	s.committed(len(batch), s.now().Sub(started))
	return errs, nil
}

var errRefused = errors.New("a write in the transaction failed")

func (j *writeJob) run(tx *sql.Tx) (refusal, broken error) {
	ctx := context.WithoutCancel(j.ctx)
	if refusal = cmp.Or(j.work(ctx, db.NewSQLite(tx)), j.ctx.Err()); refusal != nil {
		return refusal, errRefused
	}
	return nil, nil
}

// runInSavepoint sets broken if SQLite has rolled back the whole transaction, for example on a full disk.
func (j *writeJob) runInSavepoint(tx *sql.Tx) (refusal, broken error) {
	ctx := context.WithoutCancel(j.ctx)
	if _, err := tx.ExecContext(ctx, "SAVEPOINT job"); err != nil {
		return nil, err
	}
	if refusal, _ = j.run(tx); refusal != nil {
		if _, err := tx.ExecContext(ctx, "ROLLBACK TO job"); err != nil {
			return nil, errors.Join(refusal, err)
		}
	}
	_, broken = tx.ExecContext(ctx, "RELEASE job")
	return refusal, broken
}

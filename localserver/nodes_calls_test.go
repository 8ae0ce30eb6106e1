package localserver

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestSameCallOverNodes sends one call to three servers at the same time, as a message and as a
// stream. The model is asked once, and all get the same answer.
func TestSameCallOverNodes(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	entered, goOn := make(chan struct{}, 10), make(chan struct{})
	nodes := beginNodes(t, 3, withFirstStep(func(ctx context.Context, _ string) error {
		asked.Add(1)
		entered <- struct{}{}
		select {
		case <-goOn:
		case <-ctx.Done():
		}
		return ctx.Err()
	}), func(o *Options) { o.after = func(time.Duration) <-chan time.Time { return nil } }) // no comments between
	id := nodes[0].publishPersona()
	nodes[0].send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(http.StatusOK)
	send := func(node *harness, path, text string) replied {
		return node.send("", "POST", wire.Path(path, id), messageJSON("ann", text), wire.HeaderIdempotencyKey, "k")
	}
	answers := make([]replied, 6)
	var group sync.WaitGroup
	group.Go(func() { answers[0] = send(nodes[0], wire.PathMessage, "hm [[redirect]]") })
	<-entered
	for i := range answers[1:] {
		path := []string{wire.PathMessage, wire.PathMessageStream}[i%2]
		group.Go(func() { answers[i+1] = send(nodes[(i+1)%3], path, "hm [[redirect]]") })
	}
	send(nodes[1], wire.PathMessage, "another one").fails(http.StatusUnprocessableEntity, wire.CodeInvalid)
	time.Sleep(300 * time.Millisecond) // all of them wait
	close(goOn)
	group.Wait()
	var first wire.Reply
	answers[0].decode(&first)
	for i, a := range answers {
		a.want(http.StatusOK)
		if !strings.Contains(string(a.body), first.Message) || i%2 == 1 && !bytes.Equal(a.body, answers[0].body) {
			t.Errorf("answer %d is %s, want %s", i, a.body, answers[0].body)
		}
	}
	assert.Equal(t, asked.Load(), 1, "the model was asked")
	checkOneTurn(nodes[2], id, 1)
}

// checkOneTurn checks how many turns a session has.
func checkOneTurn(h *harness, id string, turns int) {
	h.Helper()
	assert.Equal(h, h.messagesOf(id, "ann"), 1+2*turns, "messages want the opening %d", turns)
}

// TestKeyOfKilledNode: a call that a killed server was answering is answered by the other servers
// when the claim has expired, and not before.
func TestKeyOfKilledNode(t *testing.T) {
	t.Parallel()
	node := beginNodes(t, 1)[0]
	id := node.publishPersona()
	node.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(http.StatusOK)
	message := func() replied {
		return node.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hm [[redirect]]"), wire.HeaderIdempotencyKey, "k")
	}
	first := message()
	const lease = time.Second
	forgetAnswer(t, node.database, lease)
	begun := time.Now()
	second := message()
	second.want(http.StatusOK)
	took := time.Since(begun)
	assert.True(t, took >= lease/2 && took <= 10*lease, "it took %s", took)
	assert.Equal(t, second.header.Get(replayedHeader), "", "a stored answer: %s", second.body)
	first.want(http.StatusOK)
	checkOneTurn(node, id, 2)
}

// forgetAnswer leaves the database like a server that is killed while it answers a call again: the
// call is claimed, but has no answer.
func forgetAnswer(t testing.TB, address string, lease time.Duration) {
	t.Helper()
	pool := assert.Value(storetest.OpenPool(address))(t)
	defer func() { _ = pool.Close() }()
	for _, statement := range []string{
		`INSERT INTO calls_under_way SELECT scope, key, body_hash, 'killed', CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) + ` + strconv.FormatInt(lease.Milliseconds(), 10) + ` FROM answers`,
		`DELETE FROM answers`,
	} {
		assert.Value(pool.ExecContext(t.Context(), statement))(t)
	}
}

// TestCallsLeaveNothing: an answered call is not claimed any more.
func TestCallsLeaveNothing(t *testing.T) {
	t.Parallel()
	node := beginNodes(t, 1)[0]
	id := node.publishPersona()
	for i := range 3 {
		node.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann"), wire.HeaderIdempotencyKey, strings.Repeat("k", i+1)).want(http.StatusOK)
	}
	pool := assert.Value(storetest.OpenPool(node.database))(t)
	defer func() { _ = pool.Close() }()
	var left int
	if err := pool.QueryRowContext(t.Context(), "SELECT count(*) FROM calls_under_way").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d calls are left: %v", left, err)
	}
}

package postgres

import (
	"errors"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas/assert"
)

// TestServersWaitForRows: a server that starts while rows are replaced waits, and sees the new
// rows; the first replacement makes a second one fail.
func TestServersWaitForRows(t *testing.T) {
	address := newAddress(t)
	o := Options{Address: address + "&lock_timeout=200ms&application_name=" + address[len(address)-8:], Now: time.Now, OnCommit: func(int, time.Duration) {}}
	rows, err := ReplaceRows(t.Context(), o, false)
	assert.NoError(t, err)
	opened := make(chan error, 1)
	go func() {
		d, err := Open(t.Context(), Options{Address: address, Now: time.Now})
		if err == nil {
			err = d.Close()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		t.Errorf("a server started meanwhile: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	_, err = beginAnother(t, o)
	assert.ErrorIs(t, err, db.ErrInUse, "another replacement")
	assert.NoError(t, errors.Join(rows.Commit(), rows.Close()))
	assert.NoError(t, <-opened)
}

// beginAnother replaces rows past the migrations, which would wait.
func beginAnother(t *testing.T, o Options) (*Rows, error) {
	t.Helper()
	at := assert.Value(parseAddress(o.Address))(t)
	r := assert.Value(beginRows(t.Context(), o, at, nil))(t)
	defer func() { assert.NoError(t, r.Close()) }()
	return r, r.makeRoom(t.Context(), false)
}

// TestReasonsOutliveTheirText: errors.Is works on an error with its passwords hidden.
func TestReasonsOutliveTheirText(t *testing.T) {
	at := assert.Value(parseAddress("postgres://kim:secret@h/n"))(t)
	for _, reason := range reasons {
		shown := at.hideSecrets(errors.Join(errors.New("secret"), reason))
		assert.ErrorIs(t, shown, reason)
		assert.Equal(t, shown.Error(), "*** "+reason.Error())
	}
	shown := at.hideSecrets(errors.New("else"))
	assert.NoError(t, errors.Unwrap(shown), "%v", shown)
}

// TestConnectionsAreCountedAnew: a server that closes while somebody waits for it is not counted
// any more.
func TestConnectionsAreCountedAnew(t *testing.T) {
	address := newAddress(t)
	o := Options{Address: address + "&application_name=n" + address[len(address)-8:], Now: time.Now, OnCommit: func(int, time.Duration) {}}
	other := assert.Value(Open(t.Context(), o))(t)
	time.AfterFunc(closingPatience/4, func() { _ = other.Close() })
	rows := assert.Value(ReplaceRows(t.Context(), o, false))(t)
	assert.NoError(t, rows.Close())
}

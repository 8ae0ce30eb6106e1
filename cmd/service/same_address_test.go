package service

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestSameAddress: a second server on an address learns that the first one listens there.
func TestSameAddress(t *testing.T) {
	t.Parallel()
	first, err := localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: datafolder.Memory})
	assert.NoError(t, err)
	defer func() { _ = first.Close() }()
	stranger := httptest.NewServer(http.NotFoundHandler())
	defer stranger.Close()
	silent := assert.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = silent.Close() }()
	for address, want := range map[string]string{
		first.URL():                        "parley localserver is already running there",
		stranger.URL:                       "another program uses that address",
		"http://" + silent.Addr().String(): "another program uses that address",
	} {
		_, err := localserver.Start(t.Context(), localserver.Options{Listen: strings.TrimPrefix(address, "http://"), Data: datafolder.Memory})
		assert.Must(t, err != nil, "two servers at %s", address)
		hint := formatStartHint(err)
		assert.True(t, strings.HasPrefix(hint, want), "%s: %q, not %q", address, hint, want)
	}
	_, err = localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, MetricsListen: first.Addr()})
	hint := formatStartHint(err)
	assert.True(t, strings.HasSuffix(hint, "--metrics-listen"), "metrics at the address of another server: %q of %v", hint, err)
}

// TestSaysOnce: a refusal with one detail equal to its message prints it once.
func TestSaysOnce(t *testing.T) {
	t.Parallel()
	e := &wire.Error{Message: "message: must not be empty", Details: []wire.Detail{{Path: "message", Message: "must not be empty"}, {Path: "name", Message: "is missing"}}}
	assert.Equal(t, e.Error(), "message: must not be empty\n  name: is missing")
}

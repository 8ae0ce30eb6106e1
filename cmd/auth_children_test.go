//go:build !windows

package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

func TestBrowserInheritsNoKeys(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	browser, seen := filepath.Join(p.home, "browser"), filepath.Join(p.home, "seen")
	script := "#!/bin/sh\nenv > '" + seen + "'\nenv -u " + cmdtest.AsParley + " visitor \"$1\"\n"
	assert.NoError(t, os.WriteFile(browser, []byte(script), 0o700))
	for _, entry := range cmdtest.Secrets() {
		if !strings.HasPrefix(entry, "PARLEY_TOKEN=") {
			p.env = append(p.env, entry)
		}
	}
	p.env = append(p.env, "BROWSER="+browser, "VISITOR=ann@example.com")
	_, screen := p.onTerminal(p.command("auth", "login", "--insecure-storage"))
	screen.until(`signed in to \S+ as ann@example.com`)
	out := assert.Value(os.ReadFile(seen))(t)
	assert.Contains(t, string(out), "PATH=", "the browser has\n%s", out)
	assert.NotContains(t, string(out), cmdtest.Swordfish, "the browser has\n%s", out)
}

//go:build !windows

package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // for TZ on machines without zones

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

var minutePattern = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`)

// TestTimesAreLocal: every command shows local times on a terminal, and UTC elsewhere, which lines for people state.
func TestTimesAreLocal(t *testing.T) {
	t.Parallel()
	zone := assert.Value(time.LoadLocation("Asia/Kolkata"))(t)
	home, server := cmdtest.StartPlayedHotel(t)
	settings := []string{server, "TZ=Asia/Kolkata", "PAGER=cat"}
	for _, test := range []struct {
		args string
		says string // the zone's name in lines for people that go to a pipe
	}{
		{"persona list", ""}, {"session list", ""}, {"persona show Ottoline", "UTC"}, {"session history Ottoline", "UTC"},
	} {
		shown, _ := cmdtest.RunAtHome(t, home, 200, "", settings, strings.Fields(test.args)...)
		checkMinutes(t, test.args+" on a terminal", shown, zone)
		piped := outputAtHome(t, home, settings, strings.Fields(test.args)...)
		checkMinutes(t, test.args+" in a pipe", piped, time.UTC)
		assert.Contains(t, piped, test.says, "%s in a pipe does not say", test.args)
	}
	if piped := outputAtHome(t, home, settings, "progress", "show", "Ottoline"); strings.Count(piped, " UTC") != len(minutePattern.FindAllString(piped, -1)) {
		t.Errorf("progress show in a pipe does not say UTC with each time:\n%s", piped)
	}
	checkMinutes(t, "a completion", outputAtHome(t, home, settings, "__complete", "session", "history", ""), zone)
}

// checkMinutes checks that a text shows times, all of them of the last hour in a zone.
func checkMinutes(t *testing.T, what, text string, zone *time.Location) {
	t.Helper()
	found := minutePattern.FindAllString(text, -1)
	assert.True(t, len(found) != 0, "%s shows no time:\n%s", what, text)
	for _, minute := range found {
		at, err := time.ParseInLocation("2006-01-02 15:04", minute, zone)
		ago := time.Since(at)
		assert.True(t, err == nil && ago >= -time.Minute && ago <= time.Hour, "%s shows %s, %s ago in %s:\n%s", what, minute, ago, zone, text)
	}
}

// outputAtHome runs parley as cmdtest.RunAtHome does, without a terminal.
func outputAtHome(t *testing.T, home string, settings []string, args ...string) string {
	t.Helper()
	p := exec.CommandContext(t.Context(), os.Args[0], args...)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+home, "PARLEY_DATA_DIR="+filepath.Join(home, "data"), "PARLEY_STATE_DIR="+filepath.Join(home, "state"),
		"PARLEY_CONFIG_DIR="+filepath.Join(home, "config"), "PARLEY_TOKEN=", "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR=")
	p.Env = append(p.Env, settings...)
	out, err := p.Output()
	assert.NoError(t, err, "parley %v %s", args, out)
	return string(out)
}

package cmd

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestDeployFiles: the servers of compose and units start, trust one proxy, and have enough time to stop.
func TestDeployFiles(t *testing.T) {
	t.Parallel()
	for file, stops := range map[string]string{"compose.yaml": "stop_grace_period: 45s", "parley.service": "TimeoutStopSec=45", "parley@.service": "TimeoutStopSec=45"} {
		content := assert.Value(os.ReadFile("../docs/deploy/" + file))(t)
		text := string(content)
		line := startedBy(text)
		assert.NoError(t, taken(line, true), "%s: `%s`", file, line)
		for _, want := range []string{"--audience", "--drain-delay", "--data"} {
			assert.Contains(t, line, want, "%s: no", file)
		}
		assert.Contains(t, text, stops, "%s: no", file)
	}
}

// startedBy is the command line of a unit or of the compose file's nodes, with addresses in place of variables.
func startedBy(text string) string {
	if line := regexp.MustCompile(`(?m)^ExecStart=\S+ (.*)$`).FindStringSubmatch(text); line != nil {
		return strings.NewReplacer("$PARLEY_OPTIONS", "--trusted-proxy 10.0.0.5/32", "${PARLEY_URL}", "https://npc.example.com", "${PARLEY_AUDIENCE}", "parley", "%i", "8787", "%d", "/run").Replace(line[1])
	}
	_, list, _ := strings.Cut(text, "  command:\n")
	list, _, _ = strings.Cut(list, "  environment:")
	var words []string
	for _, m := range regexp.MustCompile(`(?m)^    - (.*)$`).FindAllStringSubmatch(list, -1) {
		words = append(words, m[1])
	}
	return strings.Join(words, " ")
}

// TestComposeTrustsOneProxy: the one address that nodes trust is the proxy's.
func TestComposeTrustsOneProxy(t *testing.T) {
	t.Parallel()
	content := assert.Value(os.ReadFile("../docs/deploy/compose.yaml"))(t)
	_, proxy, _ := strings.Cut(string(content), "\n  proxy:\n")
	address := regexp.MustCompile(`ipv4_address: ([0-9.]+)`).FindStringSubmatch(proxy)
	if trusted := regexp.MustCompile(`--trusted-proxy=(\S+)`).FindAllStringSubmatch(string(content), -1); address == nil || len(trusted) != 1 || trusted[0][1] != address[1]+"/32" {
		t.Errorf("trusted are %v, the proxy is at %v", trusted, address)
	}
}

// TestComposeAddresses: if one service has a fixed address, all have one.
func TestComposeAddresses(t *testing.T) {
	t.Parallel()
	content := assert.Value(os.ReadFile("../docs/deploy/compose.yaml"))(t)
	_, services, _ := strings.Cut(string(content), "\nservices:\n")
	services, _, _ = strings.Cut(services, "\nnetworks:\n")
	names := regexp.MustCompile(`(?m)^  \w+:`).FindAllString(services, -1)
	addresses := regexp.MustCompile(`ipv4_address: ([0-9.]+)`).FindAllString(services, -1)
	slices.Sort(addresses)
	if len(names) < 5 || len(slices.Compact(addresses)) != len(names) {
		t.Errorf("%d services have %d addresses: %v", len(names), len(addresses), addresses)
	}
}

package localservercmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
)

type requestFlags struct {
	rateLimit string
	proxies   []string
	origins   []string
	faults    []string
}

func (f *requestFlags) addRequestFlags(c *cobra.Command) {
	c.Flags().StringVar(&f.rateLimit, "rate-limit", "on", "rate limits, `SWITCH`: on or off")
	c.Flags().StringArrayVar(&f.proxies, "trusted-proxy", nil, "trust X-Forwarded-For from proxies in this `NETWORK`, such as 10.0.0.0/8 (repeatable)")
	c.Flags().StringArrayVar(&f.origins, "cors-origin", nil, "allow pages of this web `ORIGIN`, such as https://game.example (repeatable)")
	c.Flags().StringArrayVar(&f.faults, "fault", nil, "make requests fail on purpose by `RULE` (repeatable)")
}

const faultHelp = `--fault makes requests fail on purpose, to test games and clients. A rule has
members: status and latency define what happens; rate (a share from 0 to 1, chosen
by seed), every (each Nth) and path (segments such as /message) select requests;
retry-after is for 429 and 503. Nothing of such a request is kept.`

func (f *requestFlags) applyTo(o *localserver.Options) error {
	if f.rateLimit != "on" && f.rateLimit != "off" {
		return cli.UsageError("--rate-limit %q: must be on or off", f.rateLimit)
	}
	o.RateLimit = f.rateLimit == "on"
	var err error
	if o.TrustedProxies, err = readEach("--trusted-proxy", f.proxies, identity.ParseNetwork); err != nil {
		return err
	}
	if o.CORSOrigins, err = readEach("--cors-origin", f.origins, api.ParseOrigin); err != nil {
		return err
	}
	o.Faults, err = readEach("--fault", f.faults, api.ParseFault)
	return err
}

func readEach[T any](flag string, texts []string, read func(string) (T, error)) ([]T, error) {
	var values []T
	for _, text := range texts {
		value, err := read(strings.TrimSpace(text))
		if err != nil {
			return nil, cli.UsageError("%s: %w", flag, err)
		}
		values = append(values, value)
	}
	return values, nil
}

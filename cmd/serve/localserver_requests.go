package serve

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/localserver"
)

// requestFlags describe which requests a local server refuses, slows down or lets in before it
// answers them.
type requestFlags struct {
	rateLimit string
	proxies   []string
	origins   []string
	faults    []string
}

func (f *requestFlags) addRequestFlags(c *cobra.Command) {
	c.Flags().StringVar(&f.rateLimit, "rate-limit", "on", "whether the service's rate limits are kept, `SWITCH`: on or off")
	c.Flags().StringArrayVar(&f.proxies, "trusted-proxy", nil, "`NETWORK` of proxies whose X-Forwarded-For says who calls, such as 10.0.0.0/8 (repeatable)")
	c.Flags().StringArrayVar(&f.origins, "cors-origin", nil, "web `ORIGIN` whose pages may call, such as https://game.example (repeatable)")
	c.Flags().StringArrayVar(&f.faults, "fault", nil, "`RULE` by which requests go wrong on purpose (repeatable)")
}

// faultHelp explains the rules of --fault.
const faultHelp = `To see how a game or a client takes it when the service is slow or refuses, let
requests go wrong with --fault. A rule is made of members: status and latency say what
happens; rate (a share from 0 to 1, chosen by seed), every (each so many-th) and path
(segments such as /message) say to which requests; retry-after goes with 429 and 503.
Of a request that is answered so nothing is kept.`

// applyTo reads the flags into the server's options.
func (f *requestFlags) applyTo(o *localserver.Options) error {
	if f.rateLimit != "on" && f.rateLimit != "off" {
		return cli.UsageError("--rate-limit %q: it takes on or off", f.rateLimit)
	}
	o.RateLimit = f.rateLimit == "on"
	var err error
	if o.TrustedProxies, err = readEach("--trusted-proxy", f.proxies, localserver.ParseNetwork); err != nil {
		return err
	}
	if o.CORSOrigins, err = readEach("--cors-origin", f.origins, localserver.ParseOrigin); err != nil {
		return err
	}
	o.Faults, err = readEach("--fault", f.faults, localserver.ParseFault)
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

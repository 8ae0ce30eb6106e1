package provider

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/remote"
)

// Options are the sources of keys and addresses. The zero Options have no keys and the default
// addresses.
type Options struct {
	// Env looks up keys and addresses by the names of their environment variables; nil is an empty
	// environment.
	Env func(name string) string
	// BaseURL is an OpenAI-compatible address for models of openai and for names
	// that no provider of the table has; an address without a path means /v1.
	BaseURL string
	// KeyVariables are variables of Env with further keys, besides those of Providers, that must
	// not appear in answers and errors.
	KeyVariables []string
	// Addresses replace the addresses of providers, by name, for lent keys too.
	// They are for tests with doubles and come from no flag.
	Addresses map[string]string
	// Version makes the User-Agent parley/VERSION.
	Version string
	Limits  Limits
	// Now, Sleep and Rand (in [0,1)) are in for the real ones in tests.
	Now   func() time.Time
	Sleep func(ctx context.Context, wait time.Duration) error
	Rand  func() float64
}

// Client knows the providers of the table and keeps connections to them. It is
// safe for concurrent use.
type Client struct {
	env       func(string) string
	baseURL   string
	addresses map[string]string
	agent     string
	limits    Limits
	resty     *resty.Client
	quirks    *quirkMemory
	keys      *keyRing
	now       func() time.Time
	sleep     func(context.Context, time.Duration) error
	rand      func() float64
}

// New returns a client. It makes no connection, and looks at addresses and keys
// only when a model is named.
func New(o Options) *Client {
	c := &Client{
		env: o.Env, baseURL: withoutEndpoint(o.BaseURL), addresses: o.Addresses, agent: "parley/" + o.Version, limits: o.Limits.withDefaults(),
		quirks: newQuirkMemory(), now: o.Now, sleep: o.Sleep, rand: o.Rand,
	}
	if c.env == nil {
		c.env = func(string) string { return "" }
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.sleep == nil {
		c.sleep = remote.Sleep
	}
	if c.rand == nil {
		c.rand = rand.Float64
	}
	c.keys = newKeyRing(c.env, o.KeyVariables...)
	c.resty = newResty()
	return c
}

// Close closes the idle connections.
func (c *Client) Close() { c.resty.GetClient().CloseIdleConnections() }

// OperatorModel returns a model of the operator, with his key and at his address. Its error is a
// sentence for him: an unknown name, a missing key (*Error of the kind KeyMissing, which names the
// variable), or an unusable address.
func (c *Client) OperatorModel(name string) (Asker, error) {
	t, p, err := c.parseTarget(name)
	if err != nil {
		return nil, err
	}
	key, variable := c.serverKey(p)
	address := c.ownAddress(t, p)
	if !key.IsSet() && !p.Local && strings.TrimRight(address, "/") == p.BaseURL {
		return nil, newKeyMissing(t, "no key is set for "+p.Title+": put one in the environment variable "+strings.Join(p.KeyVariables, " or "))
	}
	return c.newAsker(t, p, address, key, keySource(variable))
}

// nowhere is the name of a key that is not set.
const nowhere = "no key"

func keySource(variable string) string {
	if variable == "" {
		return nowhere
	}
	return "the key in " + variable
}

// OperatorModelWithKey returns a model of the operator, asked with a caller's
// key. A local provider gets no key.
func (c *Client) OperatorModelWithKey(name string, key llm.Secret) (Asker, error) {
	t, p, err := c.parseTarget(name)
	if err != nil {
		return nil, err
	}
	if p.Local {
		key = llm.Secret{}
	}
	if !key.IsSet() && !p.Local {
		return nil, newKeyMissing(t, "no key was sent for "+p.Title)
	}
	return c.newAsker(t, p, c.ownAddress(t, p), key, "the key")
}

// CallersModel returns a caller's model with the caller's key. It is asked at the provider's own
// address only, regardless of the operator's settings, and local providers are not allowed. Its
// error is a sentence for the caller.
func (c *Client) CallersModel(name string, key llm.Secret) (Asker, error) {
	t, err := ParseModelName(name)
	if err != nil {
		return nil, err
	}
	p, _ := findProvider(t.Provider)
	if p.Local {
		return nil, fmt.Errorf("the model %s runs on a machine of its own and is not for callers to choose", t)
	}
	if !key.IsSet() {
		return nil, newKeyMissing(t, "no key was sent for "+p.Title)
	}
	return c.newAsker(t, p, c.publicAddress(p), key, "the key")
}

// parseTarget reads a name as the operator means it: with a BaseURL
// also names that no provider has.
func (c *Client) parseTarget(name string) (Target, Provider, error) {
	return readTarget(name, c.baseURL)
}

func readTarget(name, baseURL string) (Target, Provider, error) {
	t, err := ParseModelName(name)
	if _, strange := errors.AsType[noProviderError](err); strange && baseURL != "" {
		t, err = Target{Provider: "openai", Model: strings.TrimSpace(name)}, nil
	}
	if err != nil {
		return Target{}, Provider{}, err
	}
	p, _ := findProvider(t.Provider)
	if p.Name == "openai" {
		t.BaseURL = baseURL
	}
	return t, p, nil
}

// CheckBaseURL refuses an OpenAI-compatible address for a model that is never asked at one: the
// model's key would go to its provider's own address, and the given one would be unused. flag names
// the address in the error, which is a sentence for the operator.
func CheckBaseURL(flag, address, name string) error {
	t, p, err := readTarget(name, address)
	if err != nil || address == "" || t.BaseURL != "" {
		return err
	}
	way := "leave the flag out"
	if len(p.AddressVariables) > 0 {
		way = "put its address into " + p.AddressVariables[0]
	}
	return fmt.Errorf("%s is the address of a server that speaks as OpenAI does, and %s is asked as %s wants it:"+
		" %s, or write openai/%s where that server has the model", flag, t, p.Title, way, name)
}

// OperatorStepModel returns a model of the operator at a separate OpenAI-compatible address, with
// the key in an environment variable and never with another key, because other keys are meant for
// other addresses.
func (c *Client) OperatorStepModel(name, address, variable string) (Asker, error) {
	t, p, err := readTarget(name, address)
	if err != nil {
		return nil, err
	}
	p.KeyVariables = []string{variable}
	key, variable := c.serverKey(p)
	return c.newAsker(t, p, t.BaseURL, key, keySource(variable))
}

// OperatorModelAt is OperatorStepModel with a caller's key for that address.
func (c *Client) OperatorModelAt(name, address string, key llm.Secret) (Asker, error) {
	t, p, err := readTarget(name, address)
	if err == nil && !key.IsSet() {
		err = newKeyMissing(t, "no key was sent for its address")
	}
	if err != nil {
		return nil, err
	}
	return c.newAsker(t, p, t.BaseURL, key, "the key")
}

// serverKey returns the key of the operator, and the variable that
// it is in.
func (c *Client) serverKey(p Provider) (key llm.Secret, variable string) {
	for _, name := range p.KeyVariables {
		if value := strings.TrimSpace(c.env(name)); value != "" {
			return llm.NewSecret(value), name
		}
	}
	return llm.Secret{}, ""
}

// publicAddress returns the default address of a provider.
func (c *Client) publicAddress(p Provider) string {
	if address := c.addresses[p.Name]; address != "" {
		return address
	}
	return p.BaseURL
}

// ownAddress returns the address that the operator has for a provider.
func (c *Client) ownAddress(t Target, p Provider) string {
	if t.BaseURL != "" {
		return t.BaseURL
	}
	for _, name := range p.AddressVariables {
		if value := strings.TrimSpace(c.env(name)); value != "" && c.addresses[p.Name] == "" {
			return addSDKPath(p, value)
		}
	}
	return c.publicAddress(p)
}

func newKeyMissing(t Target, message string) error {
	return &Error{Kind: KeyMissing, Provider: t.Provider, Model: t.Model, Message: t.String() + ": " + message}
}

// HasCustomAddress reports whether the operator has set another address for the provider of a model
// than its default one: a key for one address is not a key for the other. It returns false for an
// unknown name.
func (c *Client) HasCustomAddress(name string) bool {
	t, p, err := c.parseTarget(name)
	return err == nil && c.ownAddress(t, p) != c.publicAddress(p)
}

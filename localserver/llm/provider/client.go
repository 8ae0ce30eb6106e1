package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/parley-npc/parley/localserver/llm"
)

// Options contains the sources of keys and addresses. The zero Options has no keys and default
// addresses.
type Options struct {
	// Env returns the value of an environment variable with a key or an address. Nil means an empty
	// environment.
	Env func(name string) string
	// BaseURL is an OpenAI-compatible address for the provider openai and for unknown names. The
	// default path is /v1.
	BaseURL string
	// KeyVariables are additional environment variables with keys. The client masks their values in
	// answers and errors.
	KeyVariables []string
	// Addresses replaces the addresses of providers by name, in tests.
	Addresses map[string]string
	// Version is the version in the User-Agent.
	Version string
	Limits  Limits
	// Now, Sleep and Rand replace the real functions in tests. Rand returns a number in [0,1).
	Now   func() time.Time
	Sleep func(ctx context.Context, wait time.Duration) error
	Rand  func() float64
}

// Client calls the known providers. It is safe for concurrent use.
type Client struct {
	options Options // with defaults
	resty   *resty.Client
	quirks  *quirkMemory
	keys    *keyRing
}

// New returns a client. It reads addresses and keys when a model is requested.
func New(o Options) *Client {
	o.BaseURL, o.Limits = withoutEndpoint(o.BaseURL), o.Limits.withDefaults()
	if o.Env == nil {
		o.Env = func(string) string { return "" }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	return &Client{options: o, resty: newResty(), quirks: newQuirkMemory(), keys: newKeyRing(o.Env, o.KeyVariables...)}
}

func sleep(ctx context.Context, wait time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(wait):
		return nil
	}
}

// Close closes idle connections.
func (c *Client) Close() { c.resty.GetClient().CloseIdleConnections() }

// OperatorModel returns a model with the operator's key and address. A missing key is an *Error of
// kind KeyMissing.
func (c *Client) OperatorModel(name string) (Asker, error) {
	t, p, err := readTarget(name, c.options.BaseURL)
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

const nowhere = "no key"

func keySource(variable string) string {
	if variable == "" {
		return nowhere
	}
	return "the key in " + variable
}

// KeyedModel is a model with a caller's key.
type KeyedModel struct {
	Name string
	Key  llm.Secret
	// ByOperator means that the operator has chosen the model and its address. Otherwise requests
	// go only to the public address, and local providers are rejected.
	ByOperator bool
	// Address, if set, is an OpenAI-compatible address of an operator's model.
	Address string
}

// ModelWithKey returns a model with a caller's key. Local providers do not receive the key.
func (c *Client) ModelWithKey(m KeyedModel) (Asker, error) {
	if !m.ByOperator {
		return c.callersModel(m)
	}
	t, p, err := readTarget(m.Name, cmp.Or(m.Address, c.options.BaseURL))
	if err != nil {
		return nil, err
	}
	address := c.ownAddress(t, p)
	switch {
	case m.Address != "" && !m.Key.IsSet():
		return nil, newKeyMissing(t, "no key was sent for the address of the model")
	case m.Address != "":
		address = t.BaseURL
	case p.Local:
		m.Key = llm.Secret{}
	case !m.Key.IsSet():
		return nil, newKeyMissing(t, "no key was sent for "+p.Title)
	}
	return c.newAsker(t, p, address, m.Key, "the key")
}

func (c *Client) callersModel(m KeyedModel) (Asker, error) {
	t, err := ParseModelName(m.Name)
	if err != nil {
		return nil, err
	}
	p, _ := FindProvider(t.Provider)
	if p.Local {
		return nil, fmt.Errorf("the model %s is local, and callers cannot choose local models", t)
	}
	if !m.Key.IsSet() {
		return nil, newKeyMissing(t, "no key was sent for "+p.Title)
	}
	return c.newAsker(t, p, c.publicAddress(p), m.Key, "the key")
}

func readTarget(name, baseURL string) (Target, Provider, error) {
	t, err := ParseModelName(name)
	if _, strange := errors.AsType[noProviderError](err); strange && baseURL != "" {
		t, err = Target{Provider: "openai", Model: strings.TrimSpace(name)}, nil
	}
	if err != nil {
		return Target{}, Provider{}, err
	}
	p, _ := FindProvider(t.Provider)
	if p.Name == "openai" {
		t.BaseURL = baseURL
	}
	return t, p, nil
}

// CheckBaseURL returns an error if the model's API ignores an OpenAI-compatible address. The key
// would then go to the provider. flag is the name of the setting.
func CheckBaseURL(flag, address, name string) error {
	t, p, err := readTarget(name, address)
	if err != nil || address == "" || t.BaseURL != "" {
		return err
	}
	way := "leave the flag out"
	if len(p.AddressVariables) > 0 {
		way = "put its address into " + p.AddressVariables[0]
	}
	return fmt.Errorf("%s is the address of an OpenAI-compatible server, but %s uses the API of %s:"+
		" %s, or write openai/%s if that server has the model", flag, t, p.Title, way, name)
}

// OperatorStepModel returns a model at an OpenAI-compatible address. variable is the environment
// variable with the only key for the address.
func (c *Client) OperatorStepModel(name, address, variable string) (Asker, error) {
	t, p, err := readTarget(name, address)
	if err != nil {
		return nil, err
	}
	p.KeyVariables = []string{variable}
	key, variable := c.serverKey(p)
	return c.newAsker(t, p, t.BaseURL, key, keySource(variable))
}

func (c *Client) serverKey(p Provider) (key llm.Secret, variable string) {
	for _, name := range p.KeyVariables {
		if value := strings.TrimSpace(c.options.Env(name)); value != "" {
			return llm.NewSecret(value), name
		}
	}
	return llm.Secret{}, ""
}

func (c *Client) publicAddress(p Provider) string {
	if address := c.options.Addresses[p.Name]; address != "" {
		return address
	}
	return p.BaseURL
}

func (c *Client) ownAddress(t Target, p Provider) string {
	if t.BaseURL != "" {
		return t.BaseURL
	}
	for _, name := range p.AddressVariables {
		if value := strings.TrimSpace(c.options.Env(name)); value != "" && c.options.Addresses[p.Name] == "" {
			return addSDKPath(p, value)
		}
	}
	return c.publicAddress(p)
}

func newKeyMissing(t Target, message string) error {
	return &Error{Kind: KeyMissing, Provider: t.Provider, Model: t.Model, Message: t.String() + ": " + message}
}

// HasCustomAddress reports whether the operator has changed the address of a model's provider. A
// key for one address must not go to the other.
func (c *Client) HasCustomAddress(name string) bool {
	t, p, err := readTarget(name, c.options.BaseURL)
	return err == nil && c.ownAddress(t, p) != c.publicAddress(p)
}

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
	Version   string
	Limits    Limits
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

// New returns a client. New reads addresses and keys when a model is requested.
func New(options Options) *Client {
	options.BaseURL, options.Limits = withoutEndpoint(options.BaseURL), options.Limits.withDefaults()
	if options.Env == nil {
		options.Env = func(string) string { return "" }
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Sleep == nil {
		options.Sleep = sleep
	}
	if options.Rand == nil {
		options.Rand = rand.Float64
	}
	return &Client{
		options: options, resty: newResty(), quirks: newQuirkMemory(),
		keys: newKeyRing(options.Env, options.KeyVariables...),
	}
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
	target, provider, err := readTarget(name, c.options.BaseURL)
	if err != nil {
		return nil, err
	}
	key, variable := c.serverKey(provider)
	address := c.ownAddress(target, provider)
	if !key.IsSet() && !provider.Local && strings.TrimRight(address, "/") == provider.BaseURL {
		variables := strings.Join(provider.KeyVariables, " or ")
		problem := "no key is set for " + provider.Title + ": put one in the environment variable " + variables
		return nil, newKeyMissing(target, problem)
	}
	return c.newAsker(target, provider, address, key, keySource(variable))
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
func (c *Client) ModelWithKey(keyed KeyedModel) (Asker, error) {
	if !keyed.ByOperator {
		return c.callersModel(keyed)
	}
	target, provider, err := readTarget(keyed.Name, cmp.Or(keyed.Address, c.options.BaseURL))
	if err != nil {
		return nil, err
	}
	address := c.ownAddress(target, provider)
	switch {
	case keyed.Address != "" && !keyed.Key.IsSet():
		return nil, newKeyMissing(target, "no key was sent for the address of the model")
	case keyed.Address != "":
		address = target.BaseURL
	case provider.Local:
		keyed.Key = llm.Secret{}
	case !keyed.Key.IsSet():
		return nil, newKeyMissing(target, "no key was sent for "+provider.Title)
	}
	return c.newAsker(target, provider, address, keyed.Key, "the key")
}

func (c *Client) callersModel(keyed KeyedModel) (Asker, error) {
	target, err := ParseModelName(keyed.Name)
	if err != nil {
		return nil, err
	}
	provider, _ := FindProvider(target.Provider)
	if provider.Local {
		return nil, fmt.Errorf("the model %s is local, and callers cannot choose local models", target)
	}
	if !keyed.Key.IsSet() {
		return nil, newKeyMissing(target, "no key was sent for "+provider.Title)
	}
	return c.newAsker(target, provider, c.publicAddress(provider), keyed.Key, "the key")
}

func readTarget(name, baseURL string) (Target, Provider, error) {
	target, err := ParseModelName(name)
	if _, strange := errors.AsType[noProviderError](err); strange && baseURL != "" {
		target, err = Target{Provider: "openai", Model: strings.TrimSpace(name)}, nil
	}
	if err != nil {
		return Target{}, Provider{}, err
	}
	provider, _ := FindProvider(target.Provider)
	if provider.Name == "openai" {
		target.BaseURL = baseURL
	}
	return target, provider, nil
}

// CheckBaseURL returns an error if the model's API ignores an OpenAI-compatible address. The key
// would then go to the provider. flag is the name of the setting.
func CheckBaseURL(flag, address, name string) error {
	target, provider, err := readTarget(name, address)
	if err != nil || address == "" || target.BaseURL != "" {
		return err
	}
	remedy := "leave the flag out"
	if len(provider.AddressVariables) > 0 {
		remedy = "put its address into " + provider.AddressVariables[0]
	}
	return fmt.Errorf("%s is the address of an OpenAI-compatible server, but %s uses the API of %s:"+
		" %s, or write openai/%s if that server has the model", flag, target, provider.Title, remedy, name)
}

// OperatorStepModel returns a model at an OpenAI-compatible address. variable is the environment
// variable that contains the key.
func (c *Client) OperatorStepModel(name, address, variable string) (Asker, error) {
	target, provider, err := readTarget(name, address)
	if err != nil {
		return nil, err
	}
	provider.KeyVariables = []string{variable}
	key, variable := c.serverKey(provider)
	return c.newAsker(target, provider, target.BaseURL, key, keySource(variable))
}

func (c *Client) serverKey(provider Provider) (key llm.Secret, variable string) {
	for _, name := range provider.KeyVariables {
		if value := strings.TrimSpace(c.options.Env(name)); value != "" {
			return llm.NewSecret(value), name
		}
	}
	return llm.Secret{}, ""
}

func (c *Client) publicAddress(provider Provider) string {
	if address := c.options.Addresses[provider.Name]; address != "" {
		return address
	}
	return provider.BaseURL
}

func (c *Client) ownAddress(target Target, provider Provider) string {
	if target.BaseURL != "" {
		return target.BaseURL
	}
	if c.options.Addresses[provider.Name] != "" {
		return c.publicAddress(provider)
	}
	for _, name := range provider.AddressVariables {
		if value := strings.TrimSpace(c.options.Env(name)); value != "" {
			return addSDKPath(provider, value)
		}
	}
	return c.publicAddress(provider)
}

func newKeyMissing(target Target, message string) error {
	return &Error{
		Kind: KeyMissing, Provider: target.Provider, Model: target.Model, Message: target.String() + ": " + message,
	}
}

// HasCustomAddress reports whether the operator has changed the address of a model's provider. A
// key for one address must not go to the other.
func (c *Client) HasCustomAddress(name string) bool {
	target, provider, err := readTarget(name, c.options.BaseURL)
	return err == nil && c.ownAddress(target, provider) != c.publicAddress(provider)
}

package provider

// Target is a model at a provider.
type Target struct {
	// Provider is a name of the table, such as "openai".
	Provider string
	// Model is the name that the provider knows.
	Model string
	// BaseURL replaces the provider's address; "" leaves it. Only whoever runs the
	// server sets it, never a caller.
	BaseURL string
}

// String returns the target as provider/model; without a model it is the
// provider.
func (t Target) String() string {
	if t.Model == "" {
		return t.Provider
	}
	return t.Provider + "/" + t.Model
}

package provider

// Moved reports whether whoever runs the server has another address for the
// provider of a model than the one that it has for everybody: a key for the one
// is not a key for the other. A name that means nothing is not moved.
func (c *Client) Moved(name string) bool {
	t, p, err := c.parseTarget(name)
	return err == nil && c.ownAddress(t, p) != c.publicAddress(p)
}

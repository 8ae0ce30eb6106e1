package personas

// Greatest lengths of texts in characters (docs/interface.md, limits). Parse reads
// longer ones; the linter reports them and a server refuses them.
const (
	MaxName        = 200
	MaxDescription = 2000
	MaxPrompt      = 64000
	// MaxExpanded is that of a text with the values of its placeholders put in.
	MaxExpanded = MaxPrompt
)

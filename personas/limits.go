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

// MaxValues is how many values a document may have: texts, numbers, lists and
// objects, aliases counted as often as they are used (docs/interface.md, limits). Parse
// refuses more, so that no document asks for more work than a server has.
const MaxValues = 200_000

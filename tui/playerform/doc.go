// Package playerform asks on the screen who plays, as far as that is not known.
package playerform

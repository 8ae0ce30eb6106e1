// Package ending is the card that a finished machine shows, with what can come next.
package ending

// Package help shows the keys and the commands of the full screen, from their tables.
package help

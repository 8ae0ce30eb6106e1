// Package keymap is every key of the full screen, in one table that help is made from.
package keymap

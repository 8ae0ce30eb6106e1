// Package terminal is what the program knows of terminals: which text is safe to print
// (Clean), how wide it is and where it breaks, what the background is, how much of a
// paste is let through, how text reaches the clipboard, and how a panic of the screen
// gives the terminal back.
//
// It imports no library for screens, so that every command can clean what it prints
// without one.
package terminal

// Package personafiles finds the persona files that a command line means, by folders and
// globs too, reads and checks them, and shows findings with the lines that they are about.
// It never changes a file and never calls a service.
package personafiles

// Package personafiles finds the persona files of a command line, also by directories and globs,
// reads and checks them, and shows findings with their lines. It never changes a file and never
// calls a service.
package personafiles

// Package check holds the commands that examine persona files before anybody plays them:
// `parley persona` lint, fmt, schema, graph, prove, simulate and test. Most of them need
// no server; test plays on a throw-away server, or on the one that --server names, and
// takes away again what it saved there. The package never publishes a persona, never keeps
// a session, and imports no other group of commands.
package persona

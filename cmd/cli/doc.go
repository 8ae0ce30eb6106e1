// Package cli contains what all commands share: the streams with their style, tables, JSON, jq and
// templates, the pager, questions, progress bars, arguments and completion, and failures with their
// exit codes. The package prints only to the given streams and never ends the process. It depends
// neither on services nor on persona files.
package cli

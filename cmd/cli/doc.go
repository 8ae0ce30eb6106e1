// Package cli contains what all commands share: the streams with their style, tables, JSON, jq and
// templates, the pager, questions, progress bars, arguments and completion, and failures with their
// exit codes. It prints only to the given streams, never ends the process, and depends neither on
// services nor on persona files.
package cli

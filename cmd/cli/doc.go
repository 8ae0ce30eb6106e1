// Package cli is what every command is on: the streams with their style, tables, JSON,
// jq and templates, the pager, questions, progress bars, arguments and completion, and
// failures with their exit codes. It prints only to the streams that it was given, never
// ends the process, and knows neither services nor persona files.
package cli

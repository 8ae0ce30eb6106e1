// Package report writes findings in the formats that other tools read: GitHub annotations
// and summaries, JUnit XML, SARIF, Markdown and JSON. It also has the flags --format and
// --output that choose among them. It never reads a persona and never decides what a
// finding means for the exit code.
package report

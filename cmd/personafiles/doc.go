// Package personafiles finds the persona files of a command line, also in directories and by globs,
// reads and checks them, and reports findings: as text with source lines, or as GitHub annotations,
// JUnit XML, SARIF, GitLab issues, Markdown or JSON. It never changes a persona file and never
// calls a service.
//
// It also reads and writes parley.lock, which records the server and persona that a file was saved
// as, with a hash of the content and the time. parley.lock is stored beside the persona files and
// committed to git, so it is sorted, has one value per line and contains no secret.
package personafiles

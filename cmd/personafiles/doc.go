// Package personafiles finds the persona files of a command line, also by directories and globs,
// reads and checks them, and reports findings: with their lines, or as GitHub annotations, JUnit
// XML, SARIF, GitLab issues, Markdown or JSON. It never changes a persona file and never calls a
// service.
//
// It also reads and writes parley.lock, which records the server and persona that a file was saved
// as, with a hash of its content and the time. The lock lies beside the persona files and is
// committed to git, so it is sorted, has one value per line and holds no secret.
package personafiles

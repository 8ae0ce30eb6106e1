// Package personafiles finds the persona files of a command line, reads and checks them, and
// reports findings. It also finds files in directories and by globs. A report is text with source
// lines, GitHub annotations, JUnit XML, SARIF, GitLab issues, Markdown or JSON. The package never
// changes a persona file and never calls a service.
//
// The package also reads and writes parley.lock, which records the server and persona that a file
// was saved as, with a hash of the content and the time. parley.lock is stored beside the persona
// files and committed to git. It is therefore sorted, has one value per line and contains no
// secret.
package personafiles

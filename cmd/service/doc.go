// Package service is the way from a command line to a service: the settings and flags that
// name it, the token, personas by their names, the sessions that a player may go on with,
// the temporary server, and which model plays on it. It also turns errors into exit codes
// with hints. It never prints results, imports no group of commands, and sends no secret
// where it could be read by others or where only a project's file points.
package service

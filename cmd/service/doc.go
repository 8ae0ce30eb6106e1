// Package service connects a command line to a service. It has the settings and flags that select
// the service, the token, personas by name, the sessions that a player can continue, the temporary
// server, and the models that it uses. It also converts errors to exit codes with hints. It never
// prints results and imports no package of commands. It sends no secret over unprotected
// connections, or to a server that only a project's file specifies.
package service

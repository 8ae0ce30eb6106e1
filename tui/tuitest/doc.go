// Package tuitest contains fakes for the tests of the chat's packages: a service in memory, and
// texts that are difficult for a terminal. Only tests import it.
package tuitest

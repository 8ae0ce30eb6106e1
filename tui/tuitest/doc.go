// Package tuitest contains test data for the packages of the chat: a fake service in memory, and
// texts that are difficult for a terminal. Only tests import it.
package tuitest

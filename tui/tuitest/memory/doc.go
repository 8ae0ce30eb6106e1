// Package memory is a conversation.Memory in memory, for tests.
package memory

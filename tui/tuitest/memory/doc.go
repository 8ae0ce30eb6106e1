// Package memory implements conversation.Memory in memory, for tests.
package memory

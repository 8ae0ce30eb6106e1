package client_test

import "testing"

// TestStreamJoinsCutCharacters: a character that a service cuts in two between two pieces is one character.
func TestStreamJoinsCutCharacters(t *testing.T) {
	url, _ := serveStreams(t, "event: text_delta\ndata: {\"text\":\"Hi \\ud83d\"}\n\nevent: text_delta\ndata: {\"text\":\"\\ude00!\"}\n\n"+doneHello)
	c, _ := newTestClient(t, url)
	if heard, _, err := streamMessage(t, c); err != nil || heard != "Hi |😀!|" {
		t.Errorf("%q, %v", heard, err)
	}
}

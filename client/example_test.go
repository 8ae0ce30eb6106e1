package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/personas/wire"
)

func service(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.Header.Get("Authorization") == "" {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error": "sign in first", "code": "unauthorized", "request_id": "7"}`)
		return
	}
	_, _ = io.WriteString(w, `{"message": "You may live. So may the book.", "current_state": "off-the-book",
		"score": 0, "outcome": "ACCEPT", "decision": "pass", "scoring_mode": "pass_fail", "machine_completed": true}`)
}

// A message is sent and the reply read. Failures that pass are sent again, as the same turn; the context ends it.
func ExampleClient_SendMessage() {
	server := httptest.NewServer(http.HandlerFunc(service))
	defer server.Close()
	c, err := client.New(client.Options{BaseURL: server.URL, Token: "a-bearer-token"})
	if err != nil {
		fmt.Println(err)
		return
	}
	reply, err := c.SendMessage(context.Background(), "01a1fd78-c62d-7949-ba09-a82940007f70", "",
		wire.Message{UserSessionID: "mara-1", Message: "Would you like some tuna?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(reply.Message)
	fmt.Println(reply.CurrentState, *reply.Outcome)
	// Output:
	// You may live. So may the book.
	// off-the-book ACCEPT
}

// A refusal is a *wire.Error with its status and the service's words.
func Example_refusal() {
	server := httptest.NewServer(http.HandlerFunc(service))
	defer server.Close()
	c, err := client.New(client.Options{BaseURL: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = c.Me(context.Background())
	var refused *wire.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Status, refused.Code, refused.Message)
	}
	// Output: 401 unauthorized sign in first
}

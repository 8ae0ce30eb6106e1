package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
)

// endless is a persona with conversations that practically never end.
const endless = `{"name": "Endless", "description": "d", "persona_identity_prompt": "p", "machines": [{"machine_key": "m", "early_fail_bound": -1000000,
	"states": [{"state_key": "a", "is_initial_state": true, "offline": {"lines": {"redirect": ["Go on."]}, "examples": {"pass": ["here is the key"], "redirect": ["tell me a story"]}}},
	           {"state_key": "b", "is_terminal_state": true}],
	"transitions": [{"from_state_key": "a", "to_state_key": "b", "decision_type": "pass", "score_delta": 3}, {"from_state_key": "a", "decision_type": "redirect"}]}]}`

// startParley starts a server with crowd personas.
func startParley(name, program string) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s, data := &server{name: name, address: address}, filepath.Join(*folder, name)
	if err := s.begin(program, "localserver", "--listen", address, "--data", data, "--durability", "normal", "--rate-limit", "off"); err != nil {
		return s, err
	}
	token, err := exec.CommandContext(context.Background(), program, "localserver", "token", "--data", data, "--user", "ann@example.com").Output() //nolint:gosec // a program that the caller names
	if err != nil {
		return s, fmt.Errorf("token: %w", err)
	}
	s.token = string(bytes.TrimSpace(token))
	id, err := s.keepPersonas(filepath.Join(*folder, name+".id"))
	s.token = "" // A player without a token owns no personas.
	s.request = func(k kind, i int) (string, error) { return s.parleyRequest(k, id, i) }
	return s, err
}

// keepPersonas creates the personas, unless an earlier run has, and returns the id of one.
func (s *server) keepPersonas(note string) (string, error) {
	if id, err := os.ReadFile(note); err == nil {
		return string(id), nil
	}
	id := ""
	err := many(*crowd, func(i int) error {
		saved, err := s.call(http.MethodPost, wire.PathSave, endless)
		if err != nil {
			return err
		}
		if i == 0 {
			id = saved["id"].(string)
		}
		_, err = s.call(http.MethodPost, wire.PathPublish+"?persona_id="+saved["id"].(string), "")
		return err
	})
	if err != nil {
		return "", err
	}
	return id, os.WriteFile(note, []byte(id), 0o600)
}

func (s *server) parleyRequest(k kind, id string, i int) (string, error) {
	switch k {
	case view:
		return getText(wire.Path(wire.PathPersona, id)), nil
	case list:
		return getText(wire.PathPersonas), nil
	}
	player := fmt.Sprintf("player%d", i)
	message := "tell me a story please"
	if k == newTurn {
		message += " of the XXXXXX ships"
	}
	_, err := s.call(http.MethodPost, wire.Path(wire.PathInitSession, id), `{"user_session_id": "`+player+`", "player_name": "Kim", "player_gender": "female"}`)
	return postText(wire.Path(wire.PathMessage, id), `{"user_session_id": "`+player+`", "message": "`+message+`"}`), err
}

// startPocketBase starts a server with crowd records, which anybody may read and create.
func startPocketBase(program string) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s, data := &server{name: "PocketBase", address: address}, "--dir="+filepath.Join(*folder, "pocketbase")
	out, err := exec.CommandContext(context.Background(), program, "superuser", "upsert", "ann@example.com", "a long password", data).CombinedOutput() //nolint:gosec // a program that the caller names
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	if err := s.begin(program, "serve", "--http="+address, data); err != nil {
		return s, err
	}
	id, err := s.keepRecords(filepath.Join(*folder, "pocketbase.id"))
	s.request = func(k kind, i int) (string, error) { return pocketRequest(k, id, i), nil }
	return s, err
}

func (s *server) keepRecords(note string) (string, error) {
	if id, err := os.ReadFile(note); err == nil {
		return string(id), nil
	}
	who, err := s.call(http.MethodPost, "/api/collections/_superusers/auth-with-password", `{"identity": "ann@example.com", "password": "a long password"}`)
	if err != nil {
		return "", err
	}
	s.token = who["token"].(string)
	field := func(name string) string { return `{"name": "` + name + `", "type": "text"}` }
	date := func(name, update string) string {
		return `{"name": "` + name + `", "type": "autodate", "onCreate": true, "onUpdate": ` + update + `}`
	}
	fields := strings.Join([]string{field("name"), field("description"), field("content"), date("created", "false"), date("updated", "true")}, ",")
	for _, collection := range []string{"personas", "messages"} {
		_, err := s.call(http.MethodPost, "/api/collections", `{"name": "`+collection+`", "type": "base", "listRule": "", "viewRule": "", "createRule": "",
			"fields": [`+fields+`], "indexes": ["CREATE INDEX idx_`+collection+` ON `+collection+` (created)"]}`)
		if err != nil {
			return "", err
		}
	}
	s.token = ""
	id := ""
	err = many(*crowd, func(i int) error {
		kept, err := s.call(http.MethodPost, "/api/collections/personas/records", `{"name": "Endless", "description": "d", "content": "p"}`)
		if err == nil && i == 0 {
			id = kept["id"].(string)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return id, os.WriteFile(note, []byte(id), 0o600)
}

func pocketRequest(k kind, id string, i int) string {
	switch k {
	case view:
		return getText("/api/collections/personas/records/" + id)
	case list:
		return getText("/api/collections/personas/records?perPage=20&sort=-created&skipTotal=1")
	}
	return postText("/api/collections/messages/records", `{"name": "player`+fmt.Sprint(i)+`", "description": "user", "content": "tell me a story please"}`)
}

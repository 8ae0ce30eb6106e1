package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
)

// endless is a persona with conversations that practically never end.
const endless = `{"name": "Endless", "description": "d", "persona_identity_prompt": "p", "machines": [{"machine_key": "m", "early_fail_bound": -1000000,
	"states": [{"state_key": "a", "is_initial_state": true, "offline": {"lines": {"redirect": ["Go on."]}, "examples": {"pass": ["here is the key"], "redirect": ["tell me a story"]}}},
	           {"state_key": "b", "is_terminal_state": true}],
	"transitions": [{"from_state_key": "a", "to_state_key": "b", "decision_type": "pass", "score_delta": 3}, {"from_state_key": "a", "decision_type": "redirect"}]}]}`

// startParley starts a server with crowd personas.
func startParley(s *server, program string) error {
	if err := s.begin(program, "localserver", "--listen", s.address, "--data", s.data, "--durability", "normal", "--rate-limit", "off"); err != nil {
		return err
	}
	token, err := exec.CommandContext(context.Background(), program, "localserver", "token", "--data", s.data, "--user", "ann@example.com").Output() //nolint:gosec // a program that the caller names
	if err != nil {
		return fmt.Errorf("token: %w", err)
	}
	s.token = string(bytes.TrimSpace(token))
	id := ""
	err = many(*crowd, func(i int) error {
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
	s.token = "" // A player without a token owns no personas.
	s.request = func(k kind, i int) (string, error) { return s.parleyRequest(k, id, i) }
	return err
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
func startPocketBase(s *server, program string) error {
	data := "--dir=" + s.data
	out, err := exec.CommandContext(context.Background(), program, "superuser", "upsert", "ann@example.com", "a long password", data).CombinedOutput() //nolint:gosec // a program that the caller names
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	if err := s.begin(program, "serve", "--http="+s.address, data); err != nil {
		return err
	}
	who, err := s.call(http.MethodPost, "/api/collections/_superusers/auth-with-password", `{"identity": "ann@example.com", "password": "a long password"}`)
	if err != nil {
		return err
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
			return err
		}
	}
	s.token = ""
	id := ""
	s.request = func(k kind, i int) (string, error) { return pocketRequest(k, id, i), nil }
	return many(*crowd, func(i int) error {
		kept, err := s.call(http.MethodPost, "/api/collections/personas/records", `{"name": "Endless", "description": "d", "content": "p"}`)
		if err == nil && i == 0 {
			id = kept["id"].(string)
		}
		return err
	})
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

package wire

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

func TestSDKReply(t *testing.T) {
	machine := UnlockedMachine{MachineID: "m2", MachineKey: "hall", Name: "Hall", IsAutoAdvance: true}
	text, err := json.Marshal(SDKReply{Reply: Reply{Message: "Yes", Score: 2}, Unlocked: []UnlockedMachine{machine}})
	const object = `{"machine_id":"m2","machine_key":"hall","name":"Hall","is_auto_advance":true}`
	want := `{"message":"Yes","current_state":"","score":2,"outcome":null,"decision":null,"follow_up":false,"redirect_count":null,` +
		`"session_id":"","scoring_mode":"","machine_completed":false,"unlocked_machines":[` + object + `]}`
	assert.NoError(t, err)
	assert.Equal(t, string(text), want)
	for list, want := range map[string][]UnlockedMachine{
		"[" + object + "]": {machine}, `["m2"]`: {{MachineID: "m2"}}, "[]": {}, "null": nil,
	} {
		t.Run(list, func(t *testing.T) {
			var r SDKReply
			err := json.Unmarshal([]byte(`{"message": "Yes", "score": 3, "redirect_count": 1, "unlocked_machines": `+list+`}`), &r)
			if err != nil || r.Score != 3 || *r.RedirectCount != 1 || len(r.Unlocked) != len(want) {
				t.Errorf("%s: %+v, %v", list, r, err)
				return
			}
			for i := range want {
				assert.True(t, r.Unlocked[i] == want[i], "%s: %+v", list, r)
			}
		})
	}
	assert.True(t, json.Unmarshal([]byte(`{"unlocked_machines": [{"machine_id": 1}]}`), new(SDKReply)) != nil, "a number is accepted as an id")
}

func TestMetadata(t *testing.T) {
	for _, value := range []any{
		ReplyMetadata{Reply: Reply{Message: "hidden", Score: 1}}, SDKReplyMetadata{SDKReply: SDKReply{Reply: Reply{Message: "hidden", Score: 1}}},
	} {
		var members map[string]any
		text, err := json.Marshal(value)
		assert.NoError(t, err)
		assert.True(t, json.Unmarshal(text, &members) == nil, "%s, %v", text, err)
		assert.Must(t, len(members) == 10, "%s, %v", text, err)
		assert.Equal(t, members["score"], 1.0)
		assert.True(t, members["message"] == nil, "%s, %v", text, err)
	}
}

func TestPathsAndStatuses(t *testing.T) {
	for got, want := range map[string]string{
		Path(PathAPIKey, "a/b"): "/api/v1/sdk/api-keys/a%2Fb", Path(PathSDKMessageStream, ".."): "/api/v1/sdk/chat/%2E%2E/message/stream", Path(PathMe, "x"): PathMe,
	} {
		t.Run(got, func(t *testing.T) { assert.Equal(t, got, want) })
	}
	for code, want := range map[string]int{CodeConflict: 409, CodeModelTimeout: 504, CodeInternal: 500, "": 500, "new-code": 500} {
		t.Run(fmt.Sprintf("%q", code), func(t *testing.T) { assert.Equal(t, StatusOf(code), want, code) })
	}
}

// TestFullPersonaCost: encoding many unknown members costs a few times the memory of the response.
func TestFullPersonaCost(t *testing.T) {
	var f FullPersona
	for i := range 20_000 {
		f.Extra = append(f.Extra, personas.Member{Name: fmt.Sprint("u", i), Value: []byte("1")})
	}
	var text []byte
	cost := assert.Allocated(func() { text = assert.Value(json.Marshal(f))(t) })
	assert.True(t, cost <= 64*uint64(len(text)), "%d bytes cost %d", len(text), cost)
}

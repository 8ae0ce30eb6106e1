package play

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/parley-npc/parley/personas/wire"
)

// TestAnswersOfEarlierVersions reads a stored answer of an earlier version, and checks that the
// present one uses the same names.
func TestAnswersOfEarlierVersions(t *testing.T) {
	reply := wire.Reply{
		Message: "Enter.", CurrentState: "in", Score: 3, Outcome: new("ACCEPT"), Decision: new("pass"), SessionID: "s",
		ScoringMode: "scoring", MachineCompleted: true, Unlocked: wire.UnlockedMachines{"i"},
	}
	unlocked := []wire.UnlockedMachine{{MachineID: "i", MachineKey: "k", Name: "n", IsAutoAdvance: true}}
	for _, c := range []struct {
		name, kept string
		want       any
		same       bool
	}{
		{"opening", `{"Message":"Halt!","SessionID":"s","UserSessionID":"u","PersonaName":"p","PersonaDescription":"d","PlayerName":"Kim","PlayerGender":"female","MachineID":"m","Replayed":true}`,
			&Opening{wire.Opening{Message: "Halt!", SessionID: "s", UserSessionID: "u", PersonaName: "p", PersonaDescription: new("d"), PlayerName: "Kim", PlayerGender: "female", MachineID: "m"}, true}, true},
		{"end of a machine", `{"Message":"Enter.","CurrentState":"in","Score":3,"Outcome":"ACCEPT","Decision":"pass","FollowUp":false,"RedirectCount":null,"SessionID":"s","ScoringMode":"scoring","Completed":true,"Unlocked":[{"ID":"i","Key":"k","Name":"n","AutoAdvance":true}],"Replayed":true}`,
			&Reply{wire.SDKReply{Reply: reply, Unlocked: unlocked}, true}, true},
		{"follow-up of an earlier version", `{"Message":"Go on.","CurrentState":"in","Score":0,"Outcome":"","Decision":"","FollowUp":true,"RedirectCount":1,"SessionID":"s","ScoringMode":"scoring","Completed":false,"Unlocked":null,"Replayed":true}`,
			&Reply{wire.SDKReply{Reply: wire.Reply{Message: "Go on.", CurrentState: "in", FollowUp: true, RedirectCount: new(1), SessionID: "s", ScoringMode: "scoring"}, Unlocked: []wire.UnlockedMachine{}}, true}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := reflect.New(reflect.TypeOf(c.want).Elem()).Interface()
			if err := json.Unmarshal([]byte(c.kept), got); err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("read %+v, %v\nwant %+v", got, err, c.want)
			}
			if text, err := json.Marshal(c.want); c.same && (err != nil || string(text) != c.kept) {
				t.Errorf("kept as %s, %v", text, err)
			}
		})
	}
}

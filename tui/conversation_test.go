package tui

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/parley-npc/parley/personas"
)

// Which machines an unseen ending has opened.
func TestOpened(t *testing.T) {
	c := newPersona("mira", testPersona())
	gate := c.findMachine("gate")
	list := func(cellar, tower machineStatus) []listedMachine {
		return []listedMachine{{id: gate.id, key: "gate", status: machineEnded}, {id: "m-cellar", key: "cellar", status: cellar}, {id: "m-tower", key: "tower", status: tower}}
	}
	accepted := standing{outcome: string(personas.Accept), score: 2}
	cases := []struct {
		name          string
		at            standing
		before, after []listedMachine
		want          []string
	}{
		{"locked before", accepted, list(machineLocked, machineLocked), list(machineOpen, machineLocked), []string{"m-cellar"}},
		{"open before", accepted, list(machineOpen, machineLocked), list(machineOpen, machineLocked), nil},
		{"hidden before", accepted, list(machineOpen, machineLocked)[:1], list(machineOpen, machineLocked), []string{"m-cellar"}},
		{"begun since by another", accepted, list(machineLocked, machineLocked), list(machineBegun, machineLocked), nil},
		{"never read: what the links say", accepted, nil, list(machineOpen, machineOpen), []string{"m-cellar"}},
		{"never read, another ending", standing{outcome: string(personas.Reject)}, nil, list(machineOpen, machineOpen), nil},
		{"never read, begun before", accepted, nil, list(machineBegun, machineLocked), nil},
	}
	for _, k := range cases {
		if got := c.listOpened(gate, k.at, k.before, k.after); !slices.Equal(got, k.want) {
			t.Errorf("%s: %v, want %v", k.name, got, k.want)
		}
	}
}

// Which failures leave it open whether a turn has counted.
func TestCounted(t *testing.T) {
	d := playing(t).root.requester
	d.neverSent = func(err error) bool { return errors.Is(err, errNobody) }
	for err, want := range map[error]bool{
		errLost: true, fmt.Errorf("deep: %w", errNobody): false, refusedWith(http.StatusBadGateway, ""): true, refusedWith(http.StatusConflict, ""): true,
		refusedWith(http.StatusTooManyRequests, ""): false, refusedWith(http.StatusUnprocessableEntity, ""): false,
	} {
		if got := d.mayHaveCounted(err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// Command speed compares a Parley server with PocketBase and with an earlier Parley: a turn with
// the creation of a record, GET persona with GET of a record, and lists of 20 among many. In each
// round it measures each server in turn for a short time, so that other load on the machine affects
// all of them. It prints the median of the rounds, the CPU time per request, and each figure
// relative to PocketBase.
//
//	go build -o new ./cmd/parley
//	go run ./.ci/speed -parley new -before old -pocketbase pocketbase
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"time"
)

var (
	parley     = flag.String("parley", "", "the `program` to measure")
	before     = flag.String("before", "", "an earlier `program`, or nothing")
	pocketbase = flag.String("pocketbase", "", "PocketBase's examples/base as a `program`, or nothing")
	rounds     = flag.Int("rounds", 5, "number of rounds")
	moment     = flag.Duration("moment", 2*time.Second, "duration of each measurement")
	crowd      = flag.Int("crowd", 100_000, "number of personas and records")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	folder, err := os.MkdirTemp("", "speed")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	servers, err := startAll(folder)
	defer func() {
		for _, s := range servers {
			s.stop()
		}
	}()
	if err != nil {
		return err
	}
	for _, row := range []struct {
		name        string
		kind        kind
		connections int
	}{
		{"turn, 16 connections", turn, 16}, {"turn, 1 connection", turn, 1}, {"turn with a new message each time, 16 connections", newTurn, 16},
		{"view, 16 connections", view, 16}, {"view, 1 connection", view, 1},
		{"list, 16 connections", list, 16}, {"list, 1 connection", list, 1},
	} {
		if err := measureRow(row.name, servers, row.kind, row.connections); err != nil {
			return err
		}
	}
	for _, s := range servers {
		fmt.Printf("%-10s resident at the end %5.1f MiB\n", s.name, s.resident())
	}
	return nil
}

// figures are the results of one server in one row, by round.
type figures struct{ perSecond, cost []float64 }

func measureRow(name string, servers []*server, k kind, connections int) error {
	found := make([]figures, len(servers))
	for range *rounds {
		for i, s := range servers {
			perSecond, cost, err := s.measure(k, connections)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", s.name, name, err)
			}
			found[i].perSecond, found[i].cost = append(found[i].perSecond, perSecond), append(found[i].cost, cost)
		}
	}
	last := found[len(found)-1]
	fmt.Println(name)
	for i, s := range servers {
		speed, cost := middle(found[i].perSecond), middle(found[i].cost)
		fmt.Printf("  %-10s %8.0f /s  %7.0f µs of processor  %.2f times as many, %.2f times the work of %s\n",
			s.name, speed, cost, speed/middle(last.perSecond), cost/middle(last.cost), servers[len(servers)-1].name)
	}
	return nil
}

func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

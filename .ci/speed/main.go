// Command speed measures a server of Parley beside one of PocketBase, and beside an
// earlier Parley: turns against created records, GET persona against a record, lists of
// 20 among many. Each round asks each server in turn for a moment, so that what else the
// machine does meets all of them; it prints the middle of the rounds, what the server took
// of the processor for one request, and each figure as a share of PocketBase's.
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
	"strings"
	"time"
)

var (
	parley     = flag.String("parley", "", "the `program` to measure")
	before     = flag.String("before", "", "an earlier `program`, or nothing")
	pocketbase = flag.String("pocketbase", "", "PocketBase's examples/base as a `program`, or nothing")
	folder     = flag.String("data", "", "`folder` of the databases; what it has of an earlier run is used again")
	rounds     = flag.Int("rounds", 5, "how often each server is asked")
	moment     = flag.Duration("moment", 2*time.Second, "how long each time")
	crowd      = flag.Int("crowd", 100_000, "how many personas and records the lists are among")
	only       = flag.String("only", "", "the rows whose name has this `text` alone")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	if *folder == "" {
		temporary, err := os.MkdirTemp("", "speed")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(temporary) }()
		*folder = temporary
	}
	servers, err := startAll()
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
		if !strings.Contains(row.name, *only) {
			continue
		}
		if err := measureRow(row.name, servers, row.kind, row.connections); err != nil {
			return err
		}
	}
	for _, s := range servers {
		fmt.Printf("%-10s resident at the end %5.1f MiB\n", s.name, s.resident())
	}
	return nil
}

// figures are those of one server in one row.
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

package db

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// A Table describes a table in a snapshot.
type Table struct {
	Name string
	// Order lists the columns that sort the rows. An empty Order means the order of insertion.
	Order string
	// Columns lists all columns except generated numbers. Their order affects the hash of a row.
	Columns []string
}

// Tables lists the tables in a snapshot. Each table follows the tables that its rows refer to.
// Other tables and columns are not copied.
var Tables = [...]Table{
	{"users", "id", []string{"id", "email", "display_name"}},
	{"personas", "id", []string{"id", "owner_id", "public", "version", "name", "description", "created_at", "updated_at"}},
	{"persona_versions", "persona_id, version", []string{"persona_id", "version", "doc"}},
	{"machines", "id", []string{"id", "persona_id", "machine_key"}},
	{"players", "id", []string{
		"id", "space", "persona_id", "user_session_id", "owner_id", "root_id", "parent_id", "forked_machine_id", "forked_turn",
		"forked_at", "label",
	}},
	{"sessions", "id", []string{
		"id", "player_id", "machine_id", "persona_id", "version", "entered", "state", "score", "redirects", "follow_up_pending",
		"outcome", "turn", "revision", "summary", "summary_to", "player_name", "player_gender", "started_at", "last_message_at",
		"asides", "moment", "begun",
	}},
	{"messages", "session_id, seq", []string{
		"session_id", "seq", "id", "role", "content", "state", "score", "decision", "follow_up", "created_at", "trace", "aside",
		"moment", "redirects", "follow_up_pending", "asides", "outcome", "summary", "summary_to",
	}},
	{"completions", "", []string{"player_id", "machine_id", "outcome", "score", "completed_at"}},
	{"unlocks", "player_id, machine_id", []string{"player_id", "machine_id"}},
	{"route", "player_id, seq", []string{"player_id", "seq", "machine_id", "entered_at", "moment"}},
	{"variables", "player_id, key", []string{"player_id", "key", "value"}},
	{"earlier_progress", "player_id, moment", []string{"player_id", "moment", "completions", "unlocks", "variables"}},
	{"api_keys", "id", []string{"id", "owner_id", "name", "prefix", "hash", "created_at", "last_used_at", "revoked_at"}},
	{"answers", "scope, key", []string{
		"scope", "key", "body_hash", "answer", "persona_id", "created_at", "player_id", "session_id",
	}},
}

// FindTable returns one of Tables by name.
func FindTable(name string) Table {
	return Tables[slices.IndexFunc(Tables[:], func(t Table) bool { return t.Name == name })]
}

// ColumnList returns the columns, separated by commas.
func (t Table) ColumnList() string { return strings.Join(t.Columns, ", ") }

// Select returns the statement that reads all rows of the table from, in order. inserted is the
// column for an empty Order.
func (t Table) Select(from, inserted string) string {
	return "SELECT " + t.ColumnList() + " FROM " + from + " ORDER BY " + cmp.Or(t.Order, inserted)
}

// Delete returns the statement that deletes all rows.
func (t Table) Delete() string { return "DELETE FROM " + t.Name }

// CountRows counts the rows of each table.
func CountRows(ctx context.Context, on DBTX) (map[string]int64, error) {
	var counts []string
	for _, t := range Tables {
		counts = append(counts, "SELECT '"+t.Name+"', count(*) FROM "+t.Name)
	}
	rows, err := on.QueryContext(ctx, strings.Join(counts, " UNION ALL "))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	found := map[string]int64{}
	for rows.Next() {
		var table string
		var count int64
		if err := rows.Scan(&table, &count); err != nil {
			return nil, err
		}
		found[table] = count
	}
	return found, rows.Err()
}

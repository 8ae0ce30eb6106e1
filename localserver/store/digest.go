package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
)

// digest is the number and the hash of rows in their order.
type digest struct {
	rows int64
	sum  hash.Hash
}

func newDigest() *digest { return &digest{sum: sha256.New()} }

// noLimit is for all rows of a table.
const noLimit = math.MaxInt64

// readDigest is the digest of the first rows of a table.
func readDigest(ctx context.Context, from tableReader, table string, limit int64) (*digest, error) {
	rows, err := from.ReadTable(ctx, table)
	if err != nil {
		return nil, err
	}
	d := newDigest()
	return d, d.addRows(rows, limit)
}

// addRows adds the first rows and closes them.
func (d *digest) addRows(rows *sql.Rows, limit int64) error {
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	for d.rows < limit {
		row, err := scanNext(rows, len(columns))
		if row == nil || err != nil {
			return err
		}
		d.addRow(row)
	}
	return nil
}

// addRow adds a row: of each cell its kind, its length and its bytes.
func (d *digest) addRow(row []any) {
	d.rows++
	for _, cell := range row {
		switch value := cell.(type) {
		case nil:
			d.addCell('n', nil)
		case string:
			d.addCell('t', []byte(value))
		case []byte:
			d.addCell('b', value)
		default: // a number or a truth
			d.addCell('v', fmt.Append(nil, value))
		}
	}
}

func (d *digest) addCell(kind byte, content []byte) {
	var head [9]byte
	head[0] = kind
	binary.BigEndian.PutUint64(head[1:], uint64(len(content)))
	d.sum.Write(head[:])
	d.sum.Write(content)
}

// compare returns an error if other rows arrived than were sent.
func (d *digest) compare(arrived *digest) error {
	switch {
	case d.rows != arrived.rows:
		return fmt.Errorf("%d rows were copied, and %d have arrived", d.rows, arrived.rows)
	case string(d.sum.Sum(nil)) != string(arrived.sum.Sum(nil)):
		return fmt.Errorf("the %d rows that have arrived are not those that were copied: their hashes differ", d.rows)
	}
	return nil
}

// tableReader returns the rows of a table in the order of their keys.
type tableReader interface {
	ReadTable(ctx context.Context, table string) (*sql.Rows, error)
}

// scanNext returns the cells of the next row, nil behind the last one. A cell is nil, a
// string, an int64, a bool or a []byte.
func scanNext(rows *sql.Rows, columns int) ([]any, error) {
	if !rows.Next() {
		return nil, rows.Err()
	}
	cells, places := make([]any, columns), make([]any, columns)
	for i := range cells {
		places[i] = &cells[i]
	}
	return cells, rows.Scan(places...)
}

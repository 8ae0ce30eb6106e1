package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"hash"
)

type digest struct {
	rows int64
	sum  hash.Hash
}

func newDigest() *digest { return &digest{sum: sha256.New()} }

func readDigest(ctx context.Context, from tableReader, table string, limit int64) (*digest, error) {
	rows, err := from.ReadTable(ctx, table)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	d := newDigest()
	for d.rows < limit {
		row, err := scanNext(rows, len(columns))
		if row == nil || err != nil {
			return d, err
		}
		d.addRow(row)
	}
	return d, nil
}

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
		default: // a number or a boolean
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

func (d *digest) compare(arrived *digest) error {
	switch {
	case d.rows != arrived.rows:
		return fmt.Errorf("%d rows were sent, but %d arrived", d.rows, arrived.rows)
	case string(d.sum.Sum(nil)) != string(arrived.sum.Sum(nil)):
		return fmt.Errorf("the %d rows that arrived differ from those that were sent: their hashes differ", d.rows)
	}
	return nil
}

type tableReader interface {
	ReadTable(ctx context.Context, table string) (*sql.Rows, error)
}

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

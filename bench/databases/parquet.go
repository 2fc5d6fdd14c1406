package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// parquetRow is a row of a table.
type parquetRow struct {
	ID    int64  `parquet:"id"`
	Name  string `parquet:"name"`
	Value []byte `parquet:"value"`
}

// groupRows is the number of rows in a row group: a mebibyte.
const groupRows = 1000

func fillParquet(dir string, records int) error {
	f, err := os.Create(filepath.Join(dir, "table"))
	if err != nil {
		return err
	}
	w := parquet.NewGenericWriter[parquetRow](f, parquet.MaxRowsPerRowGroup(groupRows))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range records {
		row := parquetRow{int64(i), fmt.Sprintf("name %d", random.IntN(1000)), value(random)}
		if _, err := w.Write([]parquetRow{row}); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(w.Close(), f.Close())
}

// table is a file of Parquet for reading.
type table struct {
	*os.File
	groups []parquet.RowGroup
	want   int            // the number of groups
	rows   [][]parquetRow // of each client
}

func openParquet(dir string, s load.Setup) (database, error) {
	f, err := os.Open(filepath.Join(dir, "table"))
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t := &table{File: f, groups: file.RowGroups(), rows: make([][]parquetRow, s.Load.Goroutines)}
	t.want = (s.Load.Records + groupRows - 1) / groupRows
	for i := range t.rows {
		t.rows[i] = make([]parquetRow, groupRows)
	}
	return t, nil
}

// do reads the rows of a row group.
func (t *table) do(client int, random *rand.Rand) error {
	i := random.IntN(t.want)
	if i >= len(t.groups) {
		return fmt.Errorf("the table has %d row groups; want group %d", len(t.groups), i)
	}
	group := t.groups[i]
	r := parquet.NewGenericRowGroupReader[parquetRow](group)
	rows := t.rows[client]
	for n := 0; n < int(group.NumRows()); {
		m, err := r.Read(rows[n:])
		if err != nil && !errors.Is(err, io.EOF) || m == 0 {
			return errors.Join(fmt.Errorf("%d of %d rows", n, group.NumRows()), err, r.Close())
		}
		for i := range rows[n : n+m] {
			if err := wantValue(rows[n+i].Value, nil); err != nil {
				return errors.Join(err, r.Close())
			}
		}
		n += m
	}
	return r.Close()
}

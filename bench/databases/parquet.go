package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/sluiceio/sluice"
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
	tableFile
	groups []parquet.RowGroup
	spans  []format.RowGroup
	want   int            // the number of groups
	next   []int          // the row group that each client reads next
	rows   [][]parquetRow // of each client
	// prefetch asks for the bytes of a row group; nil if a client does not ask for the next one.
	prefetch func(off, n int64) error
}

// tableFile is an os.File or a sluice.File.
type tableFile interface {
	io.ReaderAt
	io.Closer
	Stat() (os.FileInfo, error)
}

func openParquet(dir string, s load.Setup) (database, error) {
	name := filepath.Join(dir, "table")
	if s.Side.Way == load.BySluice {
		f, err := sluice.Open(name)
		if err != nil {
			return nil, err
		}
		return newTable(f, s, f.Prefetch)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return newTable(f, s, nil)
}

func newTable(f tableFile, s load.Setup, prefetch func(off, n int64) error) (database, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t := &table{
		tableFile: f, groups: file.RowGroups(), spans: file.Metadata().RowGroups, prefetch: prefetch,
		next: make([]int, s.Load.Goroutines), rows: make([][]parquetRow, s.Load.Goroutines),
	}
	t.want = (s.Load.Records + groupRows - 1) / groupRows
	for i := range t.rows {
		t.rows[i] = make([]parquetRow, groupRows)
		t.next[i] = i % t.want
	}
	return t, nil
}

// do reads the rows of a row group. It knows the next row group, as a query that has chosen its row
// groups does.
func (t *table) do(client int, random *rand.Rand) error {
	i, next := t.next[client], random.IntN(t.want)
	t.next[client] = next
	if n := len(t.groups); i >= n || next >= n {
		return fmt.Errorf("the table has %d row groups; want groups %d and %d", n, i, next)
	}
	if t.prefetch != nil {
		if err := t.prefetch(t.spans[next].FileOffset, t.spans[next].TotalCompressedSize); err != nil {
			return err
		}
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

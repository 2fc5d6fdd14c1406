package trace

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/test/seed"
)

func TestCSV(t *testing.T) {
	tr := random(seed.Rand(t), 500)
	tr.Files[1] = "a \"name\", of\n two lines"
	var b bytes.Buffer
	if err := tr.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	rows := readCSV(t, &b, len(tr.Ops))
	for i, o := range tr.Ops {
		want := []string{o.Kind.String(), o.Path.String(), o.Driver, tr.Classes[o.Class], tr.Files[o.File]}
		for _, n := range []int64{
			o.Offset, o.Size, o.Result, int64(o.Queued), int64(o.Submitted), int64(o.Completed), int64(o.Woken),
			int64(o.Batch), int64(o.Slot), int64(o.Goroutine), int64(o.Ring),
		} {
			want = append(want, strconv.FormatInt(n, 10))
		}
		compareRow(t, rows[i+1], want)
	}
}

func readCSV(t *testing.T, r io.Reader, n int) [][]string {
	t.Helper()
	rows, err := csv.NewReader(r).ReadAll() // checks that all rows have the same number of fields
	if err != nil || len(rows) != n+1 {
		t.Fatalf("%d rows, %v; want %d", len(rows), err, n+1)
	}
	if last := rows[0][len(rows[0])-1]; last != "ring" {
		t.Errorf("the last column is %q; want ring", last)
	}
	return rows
}

func compareRow(t *testing.T, got, want []string) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("a row is %q; want %q", got, want)
		}
	}
}

// TestExportFails checks that each exporter returns the writer's error.
func TestExportFails(t *testing.T) {
	tr := random(seed.Rand(t), 20)
	full := errors.New("full")
	for name, export := range map[string]func(io.Writer) error{
		"perfetto": tr.WritePerfetto, "csv": tr.WriteCSV,
	} {
		for _, room := range []int{0, 100} {
			if err := export(&short{room, full}); !errors.Is(err, full) {
				t.Errorf("%s with room for %d bytes: %v; want the writer's error", name, room, err)
			}
		}
	}
}

// TestUnknown exports values that only a newer version has.
func TestUnknown(t *testing.T) {
	tr := &Trace{
		Ops:   []Op{{Kind: 200, Path: 200, Driver: "driver(200)"}},
		Calls: []Call{{Syscall: "syscall(200)", Driver: "theirs, \"new\""}},
	}
	for name, export := range map[string]func(io.Writer) error{
		"perfetto": tr.WritePerfetto, "csv": tr.WriteCSV,
	} {
		if err := export(io.Discard); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkExport writes a million operations.
func BenchmarkExport(b *testing.B) {
	tr := &Trace{Files: []string{"", "/var/lib/a/directory/with/data.file"}}
	at := time.Duration(0)
	for i := range 1_000_000 {
		at += 1234
		tr.Ops = append(tr.Ops, Op{
			Queued: at, Submitted: at + 4567, Completed: at + 99_123, Woken: at + 101_789, Offset: int64(i) * 4096 * 37 % (1 << 36),
			Size: 4096, Result: 4096, File: 1, Batch: 32, Goroutine: uint32(i) * 0x9E3779B9, Kind: KindRead, Path: PathQueued, Driver: "uring",
		})
	}
	tr.arrange()
	for name, export := range map[string]func(io.Writer) error{
		"compact":  func(w io.Writer) error { _, err := tr.WriteTo(w); return err },
		"perfetto": tr.WritePerfetto, "csv": tr.WriteCSV,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var n counter
				if err := export(&n); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(n)/1e6, "MB")
			}
		})
	}
	b.Run("arrange", func(b *testing.B) {
		for b.Loop() {
			tr.arrange()
		}
	})
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

package direct_test

import (
	"bytes"
	"cmp"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestReadManyModel reads random ranges with random options, on each file system and driver. The
// results must equal a slice of bytes.
func TestReadManyModel(t *testing.T) {
	start := seed.Of(t)
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		r := rand.New(rand.NewPCG(start, 0))
		for _, size := range []int{0, 1, 3 * testenv.PageSize, 1<<20 + 777} {
			text := make([]byte, size)
			for i := range text {
				text[i] = byte(r.Uint32())
			}
			name := filepath.Join(dir, "many")
			testenv.Write(t, name, string(text))
			f, err := direct.OpenOn(s, name, os.O_RDONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			for range 6 {
				o, ranges := randomOptions(r), randomRanges(r, size)
				t.Logf("%d ranges of %d bytes, %+v", len(ranges), size, o)
				wantMany(t, f.ReadMany(t.Context(), slices.Values(ranges), o), ranges, text, o.Unordered)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
		if st := s.Stats(); st.BuffersInUse != 0 || st.InFlight != 0 {
			t.Errorf("%d bytes of buffers in use, %d in flight at the end", st.BuffersInUse, st.InFlight)
		}
	})
}

func randomOptions(r *rand.Rand) direct.ReadManyOptions {
	return direct.ReadManyOptions{
		Depth:         []int{0, 1, 2, 5, 300}[r.IntN(5)],
		MergeSize:     []int{0, -1, 8 << 10, 100_000, 2 << 20}[r.IntN(5)],
		MergeGap:      []int{0, -1, 1, 64 << 10}[r.IntN(4)],
		Amplification: []float64{0, 1, 1.5, 1000}[r.IntN(4)],
		Unordered:     r.IntN(2) == 0,
	}
}

// randomRanges returns ranges of all sorts: neighbours, duplicates, at and over the end, empty,
// wrong.
func randomRanges(r *rand.Rand, size int) []direct.Range {
	ranges := make([]direct.Range, r.IntN(400))
	for i := range ranges {
		at := direct.Range{Off: r.Int64N(int64(size) + 20_000), Len: r.IntN(1 << r.IntN(17))}
		switch r.IntN(8) {
		case 0, 1, 2:
			at.Off, at.Len = at.Off&^4095, 4096
		case 3, 4:
			if i > 0 { // the neighbour of an earlier one
				before := ranges[r.IntN(i)]
				at.Off = max(0, before.Off) + int64(max(0, before.Len))
			}
		case 5:
			if i > 0 {
				at = ranges[r.IntN(i)]
			}
		case 6:
			if r.IntN(10) == 0 {
				at = []direct.Range{{-1, 1}, {0, -1}, {math.MaxInt64, 1}, {math.MaxInt64 - 4096, 4096}, {1 << 60, 5}}[r.IntN(5)]
			}
		}
		if at.Off > 1<<60 {
			at.Off = math.MaxInt64 - at.Off%3
		}
		ranges[i] = at
	}
	return ranges
}

// wantMany checks the results for ranges of a file that is text.
func wantMany(t *testing.T, results iter.Seq2[direct.ReadResult, error], ranges []direct.Range, text []byte, unordered bool) {
	t.Helper()
	var got []direct.Range
	var held []direct.ReadResult
	for res, err := range results {
		got = append(got, res.Range)
		wantOne(t, res, err, text)
		if held = append(held, res); len(held) > 50 {
			// A held Buffer does not change.
			for _, res := range held {
				if b := res.Buffer.Bytes(); len(b) > 0 && !bytes.Equal(b, text[res.Off:][:len(b)]) {
					t.Errorf("%v has changed", res.Range)
				}
				res.Buffer.Release()
			}
			held = held[:0]
		}
	}
	for _, res := range held {
		res.Buffer.Release()
	}
	want := slices.Clone(ranges)
	if unordered {
		byPlace := func(a, b direct.Range) int { return cmp.Or(cmp.Compare(a.Off, b.Off), cmp.Compare(a.Len, b.Len)) }
		slices.SortFunc(got, byPlace)
		slices.SortFunc(want, byPlace)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d results; want those of the %d ranges, in order: %v", len(got), len(want), !unordered)
	}
}

func wantOne(t *testing.T, res direct.ReadResult, err error, text []byte) {
	t.Helper()
	at := res.Range
	if at.Off < 0 || at.Len < 0 || int64(at.Len) > math.MaxInt64-at.Off {
		if err == nil || err == io.EOF || res.Buffer.Len() > 0 {
			t.Errorf("%v: %d bytes, %v; want an error", at, res.Buffer.Len(), err)
		}
		return
	}
	size := int64(len(text))
	want := text[min(at.Off, size) : min(at.Off, size)+min(int64(at.Len), size-min(at.Off, size))]
	var wantErr error
	if at.Len > 0 && len(want) == 0 {
		wantErr = io.EOF
	}
	if err != wantErr || !bytes.Equal(res.Buffer.Bytes(), want) {
		t.Errorf("%v of %d: %d bytes, %v; want the %d of the file, %v", at, size, res.Buffer.Len(), err, len(want), wantErr)
	}
}

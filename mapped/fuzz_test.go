//go:build unix

package mapped_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/mapped"
)

// FuzzMapping maps a part of a file and makes the calls that the fuzzer chooses. The results must
// equal a slice of the file's bytes.
func FuzzMapping(f *testing.F) {
	s, err := sluice.NewScheduler(sluice.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	random := rand.NewChaCha8([32]byte{1})
	for range 4 {
		b := make([]byte, 200)
		random.Read(b)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := seed.FromBytes(b)
		whole, text := file(t, s, t.TempDir(), 1+r.IntN(20*page))
		off := r.IntN(len(text))
		n := 1 + r.IntN(len(text)-off)
		m, text := mapFile(t, whole, int64(off), int64(n)), text[off:off+n]
		for range min(len(b)/4, 60) {
			if mappedStep(t, r, m, text); t.Failed() {
				t.Fatalf("of %d bytes at %d", n, off)
			}
		}
		if !bytes.Equal(m.Bytes(), text) {
			t.Error("Bytes are not the file's")
		}
	})
}

// mappedStep makes one call on m, which has text.
func mappedStep(t *testing.T, r *rand.Rand, m *mapped.Mapping, text []byte) {
	size := int64(len(text))
	off, n := r.Int64N(size+page)-10, r.Int64N(3*page)-5
	inside := off >= 0 && n >= 0 && off <= size && n <= size-off
	switch r.IntN(2) {
	case 0:
		got, err := m.Load(off, n)
		if (err == nil) != inside || inside && !bytes.Equal(got, text[off:off+n]) {
			t.Errorf("Load(%d, %d) of %d bytes: %d bytes, %v", off, n, size, len(got), err)
		}
	case 1:
		a := []sluice.Advice{sluice.AdviceNormal, sluice.AdviceRandom, sluice.AdviceDontNeed}[r.IntN(3)]
		if err := m.Advise(off, n, a); (err == nil) != inside {
			t.Errorf("Advise(%d, %d, %v) of %d bytes: %v", off, n, a, size, err)
		}
	}
}

package direct_test

import (
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

// The fuzz targets run the models' random tests with the fuzzer's choices. The scheduler's work
// differs from run to run, so coverage cannot minimize inputs: use -fuzzminimizetime=1x.

// mostSteps is the most calls of one input.
const mostSteps = 40

// fuzzModel calls run with each input, and with a scheduler that must be idle afterwards. The first
// byte of the input chooses the driver.
func fuzzModel(f *testing.F, run func(t *testing.T, s *sluice.Scheduler, r *rand.Rand, steps int)) {
	var all []*sluice.Scheduler
	for _, name := range testenv.Drivers {
		s, err := sluice.NewScheduler(sluice.Options{Driver: name})
		if err != nil {
			f.Log(err)
			continue
		}
		f.Cleanup(func() { s.Close() })
		all = append(all, s)
	}
	random := rand.NewChaCha8([32]byte{1})
	for i := range byte(6) {
		b := make([]byte, 200)
		random.Read(b)
		f.Add(append([]byte{i}, b...))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 {
			return
		}
		s := all[int(b[0])%len(all)]
		run(t, s, seed.FromBytes(b[1:]), min(len(b)/4, mostSteps))
		if st := s.Stats(); st.BuffersInUse != 0 || st.InFlight != 0 {
			t.Errorf("%d bytes of buffers in use, %d in flight at the end", st.BuffersInUse, st.InFlight)
		}
	})
}

func FuzzReader(f *testing.F) {
	fuzzModel(f, func(t *testing.T, s *sluice.Scheduler, r *rand.Rand, steps int) {
		m := newReaderModel(t, s, t.TempDir(), r)
		defer m.close()
		for range steps {
			if m.step(); t.Failed() {
				t.Fatalf("%+v: %q", m.o, m.done)
			}
		}
	})
}

func FuzzWriter(f *testing.F) {
	fuzzModel(f, func(t *testing.T, s *sluice.Scheduler, r *rand.Rand, steps int) {
		file, err := direct.OpenOn(s, filepath.Join(t.TempDir(), "written"), os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		m := &writerModel{t: t, r: r, f: file}
		m.open()
		for range steps {
			if m.step(); t.Failed() {
				t.Fatalf("%+v: %q", m.o, m.done)
			}
		}
		m.same("Close", m.w.Close())
	})
}

func FuzzReadMany(f *testing.F) {
	fuzzModel(f, func(t *testing.T, s *sluice.Scheduler, r *rand.Rand, _ int) {
		text := testenv.Noise(r.IntN(1 << r.IntN(21)))
		name := filepath.Join(t.TempDir(), "many")
		testenv.Write(t, name, string(text))
		file, err := direct.OpenOn(s, name, os.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		o, ranges := randomOptions(r), randomRanges(r, len(text))
		wantMany(t, file.ReadMany(t.Context(), slices.Values(ranges), o), ranges, text, o.Unordered)
	})
}

package load

import (
	"errors"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/mapped"
)

// openMapped opens the file for mapped.Mapping.Load. An operation loads the block and touches each
// of its pages.
func openMapped(s Setup) (*target, error) {
	sched, release, err := scheduler(s.Side.Driver)
	if err != nil {
		return nil, &unsupportedError{err.Error()}
	}
	f, err := sched.Open(s.Path)
	if err != nil {
		return nil, errors.Join(err, release())
	}
	m, err := mapped.Map(f, 0, 0)
	if errors.Is(err, errors.ErrUnsupported) {
		err = &unsupportedError{err.Error()}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), release())
	}
	size := int64(s.Load.Size)
	return &target{
		explain: sched.Explain,
		stats:   func() any { return sched.Stats() },
		close:   func() error { return errors.Join(m.Close(), f.Close(), release()) },
		buffers: func() int64 { return 0 },
		each: func(int) func([]byte, int64) error {
			var sum byte // of one client
			return func(_ []byte, off int64) error {
				b, err := m.Load(off, size)
				sum += touch(b)
				return err
			}
		},
	}, m.Advise(0, 0, sluice.AdviceRandom)
}

// touch reads a byte of each page of b.
func touch(b []byte) (sum byte) {
	for i := 0; i < len(b); i += bufferAlign {
		sum += b[i]
	}
	return sum
}

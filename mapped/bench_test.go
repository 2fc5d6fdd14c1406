//go:build unix

package mapped_test

import (
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/testenv"
	"github.com/sluiceio/sluice/mapped"
)

// BenchmarkHot touches a resident byte, with Load before it and without. The difference is the cost
// of a Load that reads nothing.
func BenchmarkHot(b *testing.B) {
	const size = 16 << 20 // 16 MiB
	name, remove := testenv.ExampleFile(string(testenv.Noise(size)))
	defer remove()
	f, err := sluice.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	m, err := mapped.Map(f, 0, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Load(0, size); err != nil {
		b.Fatal(err)
	}
	const step = 4099 * 7 // another page each time
	b.Run("touch", func(b *testing.B) {
		sum, off, all := byte(0), 0, m.Bytes()
		for b.Loop() {
			off = (off + step) & (size - 1)
			sum += all[off]
		}
		sink = sum
	})
	b.Run("Load", func(b *testing.B) {
		sum, off := byte(0), int64(0)
		for b.Loop() {
			off = (off + step) & (size - 1)
			p, err := m.Load(off, 1)
			if err != nil {
				b.Fatal(err)
			}
			sum += p[0]
		}
		sink = sum
	})
}

var sink byte

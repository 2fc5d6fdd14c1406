package record

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/sys"
)

// By how much a file grows at a time: enough that few records have to wait for it, and
// little enough that they do so for a fraction of a millisecond. Measured:
// docs/decisions/0016-trace.md.
const (
	chunksMore = 64       // 256 KiB
	namesMore  = 16 << 10 // 16 KiB
)

// growth makes a file longer as it is recorded into. The names, which are before the
// chunks, are a hole where there are none yet.
type growth struct {
	f    *os.File
	self os.FileInfo // f, as it was opened
	mem  []byte      // the file's

	mu    sync.Mutex     // of the chunks
	there *atomic.Uint32 // how many chunks the file has. Written under mu
	all   int            // how many it may have
	// chunks is where they are in the file.
	chunks int

	// The names are there from begun to names. Under files.mu.
	begun, names, mostNames int
}

// begin has the file have all but its chunks: of the names, which are that long and
// begin there, the first.
func (g *growth) begin(names, length int) error {
	g.begun, g.names, g.mostNames = names, names, names+length
	if err := g.grow(0, names); err != nil {
		return err
	}
	if err := g.namesTo(1); err != nil {
		return err
	}
	return g.grow(g.mostNames, g.chunks) // the stripes
}

var errClosed = errors.New("the descriptor of the file was closed by the program")

// grow has the file be there from off to end. Its number may mean another file by now:
// programs close descriptors that they do not know.
func (g *growth) grow(off, end int) error {
	if now, err := g.f.Stat(); err != nil || !os.SameFile(now, g.self) {
		return errClosed
	}
	return sys.MapGrow(g.f, g.mem, off, end)
}

// chunk sees to it that there is a chunk of that number. It reports whether there is.
func (g *growth) chunk(i uint64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for uint64(g.there.Load()) <= i {
		if g.more() != nil {
			return false
		}
	}
	return true
}

// more makes some more chunks. Under mu.
func (g *growth) more() error {
	from := int(g.there.Load())
	to := min(from+chunksMore, g.all)
	err := g.grow(g.chunks+from*pageSize, g.chunks+to*pageSize)
	if err == nil {
		g.there.Store(uint32(to))
	}
	return err
}

// name sees to it that there are so many bytes of names. It reports whether there are.
// A nil growth has all. Under files.mu.
func (g *growth) name(n int) bool { return g == nil || g.namesTo(n) == nil }

func (g *growth) namesTo(n int) error {
	for g.names < g.begun+n {
		to := min(g.names+namesMore, g.mostNames)
		if err := g.grow(g.names, to); err != nil {
			return err
		}
		g.names = to
	}
	return nil
}

package record

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/sys"
)

// A file grows by these amounts: enough that few records have to wait for it, and so little that
// they wait for a fraction of a millisecond. docs/decisions/0016-trace.md has what was measured.
const (
	chunksMore = 64       // 256 KiB
	namesMore  = 16 << 10 // 16 KiB
)

// growth extends a file while it is recorded into. The file has the names before the chunks; where
// there are no names yet, it has a hole.
type growth struct {
	f    *os.File
	self os.FileInfo // f, as it was opened
	mem  []byte      // the mapping of the file

	mu    sync.Mutex     // protects the growth of the chunks
	there *atomic.Uint32 // the number of chunks that the file has. Written under mu
	all   int            // the largest number of chunks
	// chunks is the offset of the chunks in the file.
	chunks int

	// The names that the file has are from offset begun to names, and end at
	// mostNames at the latest. Protected by files.mu.
	begun, names, mostNames int
}

// begin makes the file have everything but its chunks, and some of its names. names is the offset
// of the names, and length their largest size.
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

// grow makes the file have the bytes from off to end. Another file may have the descriptor's number
// by now: some programs close descriptors that they do not know.
func (g *growth) grow(off, end int) error {
	if now, err := g.f.Stat(); err != nil || !os.SameFile(now, g.self) {
		return errClosed
	}
	return sys.MapGrow(g.f, g.mem, off, end)
}

// chunk reports whether the file has chunk i, after growing it if need be.
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

// more adds chunks to the file. mu is held.
func (g *growth) more() error {
	from := int(g.there.Load())
	to := min(from+chunksMore, g.all)
	err := g.grow(g.chunks+from*pageSize, g.chunks+to*pageSize)
	if err == nil {
		g.there.Store(uint32(to))
	}
	return err
}

// name reports whether the file has n bytes of names, after growing it if need be. A nil growth, of
// a Recorder in memory, has all of them. files.mu is held.
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

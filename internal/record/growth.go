package record

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/sys"
)

// The steps in which a file grows: large enough that few records have to wait for one, and so small
// that they wait for a fraction of a millisecond. Measured: docs/decisions/0016-trace.md.
const (
	chunksMore = 64       // 256 KiB
	namesMore  = 16 << 10 // 16 KiB
)

// growth extends a file during the recording. The file has the names before the chunks; where there
// are no names yet, it has a hole.
type growth struct {
	f    *os.File
	self os.FileInfo // f, as it was opened
	mem  []byte      // the mapping of the file

	mu          sync.Mutex     // guards the growth of the chunks
	chunksReady *atomic.Uint32 // the number of chunks that the file has. Written under mu
	maxChunks   int            // the largest number of chunks
	// chunks is the offset of the chunks in the file.
	chunks int

	// The file has names from offset namesStart to namesReady, and can have them up to namesEnd.
	// files.mu guards them.
	namesStart, namesReady, namesEnd int
}

// begin makes the file have everything but its chunks, and some of its names. names is the offset
// of the names, and length their largest size.
func (g *growth) begin(names, length int) error {
	g.namesStart, g.namesReady, g.namesEnd = names, names, names+length
	if err := g.grow(0, names); err != nil {
		return err
	}
	if err := g.namesTo(1); err != nil {
		return err
	}
	return g.grow(g.namesEnd, g.chunks) // the stripes
}

var errClosed = errors.New("the descriptor of the file was closed by the program")

// grow extends the file by the bytes from off to end. It checks the descriptor, whose number may be
// another file's: some programs close descriptors that they do not know.
func (g *growth) grow(off, end int) error {
	if now, err := g.f.Stat(); err != nil || !os.SameFile(now, g.self) {
		return errClosed
	}
	return sys.MapGrow(g.f, g.mem, off, end)
}

// reserveChunk reports whether the file has chunk i, after growing it if need be.
func (g *growth) reserveChunk(i uint64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for uint64(g.chunksReady.Load()) <= i {
		if g.addChunks() != nil {
			return false
		}
	}
	return true
}

// addChunks adds chunks to the file. mu is held.
func (g *growth) addChunks() error {
	from := int(g.chunksReady.Load())
	to := min(from+chunksMore, g.maxChunks)
	err := g.grow(g.chunks+from*pageSize, g.chunks+to*pageSize)
	if err == nil {
		g.chunksReady.Store(uint32(to))
	}
	return err
}

// reserveNames reports whether the file has n bytes of names, after growing it if need be. A nil
// growth, of a Recorder in memory, has all of them. files.mu is held.
func (g *growth) reserveNames(n int) bool { return g == nil || g.namesTo(n) == nil }

func (g *growth) namesTo(n int) error {
	for g.namesReady < g.namesStart+n {
		to := min(g.namesReady+namesMore, g.namesEnd)
		if err := g.grow(g.namesReady, to); err != nil {
			return err
		}
		g.namesReady = to
	}
	return nil
}

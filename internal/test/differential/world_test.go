package differential

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// world is one side of the differential test: two files in a directory and three handles on them,
// all from os or all from sluice.
type world struct {
	dir     string
	open    testenv.Opener
	handles [3]testenv.FileAPI
	direct  [3]bool // whether each handle is O_DIRECT
	buf     []byte  // for data, at a page's start
}

const (
	worldFiles = 2
	bufSize    = 32 << 10 // 32 KiB
)

func newWorld(dir string, open testenv.Opener) *world {
	return &world{dir: dir, open: open, buf: testenv.AlignedBytes(bufSize)}
}

func (w *world) file(i int) string { return filepath.Join(w.dir, fmt.Sprint("file", i%worldFiles)) }

// reset closes the handles and removes the files.
func (w *world) reset() {
	for i, f := range w.handles {
		if f != nil {
			f.Close()
		}
		w.handles[i], w.direct[i] = nil, false
	}
	for i := range worldFiles {
		os.Remove(w.file(i))
	}
}

// contents returns the contents of the files, read by os.
func (w *world) contents() (c [worldFiles][]byte, err error) {
	for i := range c {
		b, err := os.ReadFile(w.file(i))
		if err != nil && !os.IsNotExist(err) {
			return c, err
		}
		c[i] = b
	}
	return c, nil
}

// do performs one operation and prints its outcome.
func (w *world) do(o op) string {
	h := int(o.handle) % len(w.handles)
	if o.kind == opOpen {
		return w.reopen(h, o)
	}
	f := w.handles[h]
	if f == nil {
		return "not open"
	}
	// A direct transfer that ends inside a block is refused after a part of it. The file's place on
	// the disk decides how much.
	o.whole = w.direct[h]
	return w.outcome(w.use(f, o)...)
}

func (w *world) outcome(results ...any) (out string) {
	for _, r := range results {
		switch v := r.(type) {
		case nil:
			out += " no error"
		case error:
			out += " " + testenv.Describe(v, w.dir)
		default:
			out += fmt.Sprintf(" %v", v)
		}
	}
	return out
}

// reopen opens a file in place of the handle. If that fails, the handle stays.
func (w *world) reopen(h int, o op) string {
	f, err := w.open(w.file(int(o.file)), o.flag(), 0o600)
	if err != nil {
		return "open " + testenv.Describe(err, w.dir)
	}
	out := "open"
	if old := w.handles[h]; old != nil {
		out += w.outcome(old.Close())
	}
	w.handles[h] = f
	w.direct[h] = o.flag()&sys.O_DIRECT != 0
	return out
}

func (w *world) use(f testenv.FileAPI, o op) []any {
	switch o.kind {
	case opRead:
		return w.filled(func(b []byte) (int, error) { return f.Read(b) }, o)
	case opReadAt:
		return w.filled(func(b []byte) (int, error) { return f.ReadAt(b, o.offset()) }, o)
	case opWrite:
		n, err := f.Write(w.data(o))
		return []any{n, err}
	case opWriteAt:
		n, err := f.WriteAt(w.data(o), o.offset())
		return []any{n, err}
	case opWriteString:
		// Not a copy, which might have another alignment.
		b := w.data(o)
		n, err := f.WriteString(unsafe.String(unsafe.SliceData(b), len(b)))
		return []any{n, err}
	case opSeek:
		pos, err := f.Seek(o.offset()-o.back(), o.whence())
		return []any{pos, err}
	case opTruncate:
		return []any{f.Truncate(o.offset())}
	case opSync:
		return []any{f.Sync()}
	case opStat:
		return stat(f)
	case opClose:
		return []any{f.Close()}
	}
	return w.stream(f, o)
}

// filled reads into a part of the buffer, and describes the whole buffer.
func (w *world) filled(read func([]byte) (int, error), o op) []any {
	for i := range w.buf {
		w.buf[i] = 0xA5
	}
	start := o.start()
	n, err := read(w.buf[start : start+o.length()])
	if o.whole && err != nil {
		// A refused direct read may have written any bytes.
		clear(w.buf[start+n : start+o.length()])
	}
	return []any{n, testenv.Sum(w.buf), err}
}

// data fills a part of the buffer with bytes that depend on the operation.
func (w *world) data(o op) []byte {
	start := o.start()
	b := w.buf[start : start+o.length()]
	for i := range b {
		b[i] = byte(i) ^ o.fill ^ byte(i>>8)
	}
	return b
}

func stat(f testenv.FileAPI) []any {
	info, err := f.Stat()
	if err != nil {
		return []any{err}
	}
	return []any{info.Name(), info.Size(), info.Mode() &^ fs.ModePerm}
}

// equal compares the contents of two worlds' files.
func equal(a, b [worldFiles][]byte) bool {
	return slices.EqualFunc(a[:], b[:], func(x, y []byte) bool { return string(x) == string(y) })
}

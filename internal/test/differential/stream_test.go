package differential

import (
	"io"

	"github.com/sluiceio/sluice/internal/test/testenv"
)

// stream performs an operation on the rest of a file.
func (w *world) stream(f testenv.FileAPI, o op) []any {
	switch o.kind {
	case opReadFrom:
		n, err := f.ReadFrom(&source{w.data(o)})
		return []any{n, err}
	case opWriteTo:
		sink := &testenv.Limited{Most: bufSize}
		n, err := f.WriteTo(sink)
		return []any{n, testenv.Sum(sink.Bytes()), err}
	case opCopy:
		return w.copyTo(f, o)
	}
	panic("no such operation")
}

// source has only the method of an io.Reader.
type source struct{ b []byte }

func (s *source) Read(b []byte) (int, error) {
	if len(s.b) == 0 {
		return 0, io.EOF
	}
	n := copy(b, s.b)
	s.b = s.b[n:]
	return n, nil
}

// copyTo copies a part of another handle's file to f.
func (w *world) copyTo(f testenv.FileAPI, o op) []any {
	h := int(o.file) % len(w.handles)
	from := w.handles[h]
	if from == nil || from == f {
		return []any{"nothing to copy"}
	}
	// If the kernel cannot copy, as within a file, a buffer with some alignment is used for the
	// rest.
	direct := o.whole || w.direct[h]
	if direct && from.Name() == f.Name() {
		return []any{"nothing to copy"}
	}
	o.whole = direct
	n, err := io.Copy(f, io.LimitReader(from, int64(o.length())))
	return []any{n, err}
}

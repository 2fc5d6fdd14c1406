package load

import (
	"context"
	"errors"
	"io"

	"github.com/sluiceio/sluice/direct"
)

// stream reads the file through a direct.Reader. At the file's end it starts again at the
// beginning.
type stream struct {
	file    *directFile
	options direct.ReaderOptions
	r       *direct.Reader // between begin and end
}

// openStream opens the file for a Reader. It has a buffer of the load's size for each operation in
// flight.
func openStream(s Setup) (*target, error) {
	d, err := openDirectFile(s)
	if err != nil {
		return nil, err
	}
	size, err := d.Size()
	if err != nil {
		return nil, errors.Join(err, d.target().close())
	}
	st := &stream{file: d, options: direct.ReaderOptions{
		BufferSize: s.Load.Size,
		ReadAhead:  s.Load.Goroutines,
		End:        s.Load.blocks(size) * int64(s.Load.Size),
	}}
	t := d.target()
	t.begin, t.end, t.do = st.begin, st.end, st.read
	if s.Side.Way == ByNext {
		t.do, t.ownMemory = st.next, true
	}
	return t, nil
}

func (s *stream) begin(off int64) (err error) {
	if s.r, err = s.file.NewReader(context.Background(), s.options); err != nil {
		return err
	}
	_, err = s.r.Seek(off, io.SeekStart)
	return err
}

func (s *stream) end() error { return s.r.Close() }

// read reads the next bytes of the file into buf. It ignores the offset: the Reader has its own.
func (s *stream) read(buf []byte, _ int64) error {
	_, err := io.ReadFull(s.r, buf)
	if err == io.EOF {
		if _, err = s.r.Seek(0, io.SeekStart); err == nil {
			_, err = io.ReadFull(s.r, buf)
		}
	}
	return err
}

// next takes the Reader's next buffer.
func (s *stream) next(_ []byte, off int64) error {
	b, err := s.r.Next()
	if err == io.EOF {
		if _, err = s.r.Seek(0, io.SeekStart); err == nil {
			b, err = s.r.Next()
		}
	}
	if err != nil {
		return err
	}
	defer b.Release()
	return checkLength(len(b.Bytes()), s.options.BufferSize, off)
}

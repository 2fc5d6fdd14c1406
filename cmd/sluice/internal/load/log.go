package load

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// log is a file that records are appended to, of package os or of sluice.
type log interface {
	file
	io.Writer
	Truncate(size int64) error
}

// openLog opens a log beside the file under test, which stays as it is. The log
// has no name any more when it is open, so that it goes with the worker however
// that ends.
func openLog(s Setup) (*target, error) {
	name := fmt.Sprintf("%s.log-%d", s.Path, os.Getpid())
	t, err := openLogBy(s.Side, name)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(name); err != nil {
		err = errors.Join(err, t.close(), os.Remove(name))
		return nil, &unsupportedError{fmt.Sprintf("a file that is open cannot be removed on this system (%v)", err)}
	}
	f := t.file.(log)
	t.begin = func(int64) error { return f.Truncate(0) }
	t.end = func() error { return f.Truncate(0) }
	t.do = func(buf []byte, _ int64) error { return appendSync(f, buf) }
	return t, nil
}

// openLogBy opens the log as the side would.
func openLogBy(side Side, name string) (*target, error) {
	const flag = os.O_RDWR | os.O_CREATE | os.O_EXCL | os.O_APPEND
	if side.Way == BySluice {
		return openSluice(name, flag, side.Driver)
	}
	f, err := os.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return &target{file: f, close: f.Close}, nil
}

// appendSync adds a record to the log, and makes it durable.
func appendSync(f log, record []byte) error {
	n, err := f.Write(record)
	if err == nil && n < len(record) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return err
	}
	return f.Sync()
}

package load

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
)

// log is a file that records are appended to: an *os.File or a *sluice.File.
type log interface {
	file
	io.Writer
	Truncate(size int64) error
}

// logs are the logs of a worker: one for all clients, or one for each.
type logs []log

// openLogs opens the load's logs in the way of the side.
func openLogs(s Setup) (*target, error) {
	t, open, err := logOpener(s.Side)
	if err != nil {
		return nil, err
	}
	return openLogsBy(t, open, s)
}

// openLogsBy opens the load's logs beside the file under test, which is not changed. Their names
// are removed at once, so that the logs disappear with the worker, however it ends.
func openLogsBy(t *target, open func(name string, flag int) (log, error), s Setup) (*target, error) {
	n := 1
	if s.Load.Kind == WriteLogs {
		n = s.Load.Goroutines
	}
	var all logs
	release := t.close
	t.close = func() error { return errors.Join(all.close(), release()) }
	for i := range n {
		l, err := openLog(open, fmt.Sprintf("%s.log-%d-%d", cmp.Or(s.Logs, s.Path), os.Getpid(), i))
		if err != nil {
			return nil, errors.Join(err, t.close())
		}
		all = append(all, l)
	}
	t.begin = func(int64) error { return all.empty() }
	t.end = all.empty
	t.each = func(client int) func(buf []byte, off int64) error {
		l := all[client%len(all)]
		return func(buf []byte, _ int64) error { return appendSync(l, buf) }
	}
	return t, nil
}

// logOpener returns the function that opens a log in the way of the side, and the target to add
// the logs to.
func logOpener(side Side) (*target, func(name string, flag int) (log, error), error) {
	if side.Way != BySluice {
		t := &target{close: func() error { return nil }}
		return t, func(name string, flag int) (log, error) { return os.OpenFile(name, flag, 0o600) }, nil
	}
	s, release, err := scheduler(side.Driver)
	if err != nil {
		return nil, nil, &unsupportedError{err.Error()}
	}
	t := &target{explain: s.Explain(), stats: func() any { return s.Stats() }, close: release}
	return t, func(name string, flag int) (log, error) { return s.OpenFile(name, flag, 0o600) }, nil
}

// openLog opens a log and removes its name.
func openLog(open func(name string, flag int) (log, error), name string) (log, error) {
	l, err := open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(name); err != nil {
		_ = errors.Join(l.Close(), os.Remove(name))
		return nil, &unsupportedError{fmt.Sprintf("a file that is open cannot be removed on this system (%v)", err)}
	}
	return l, nil
}

// empty truncates the logs.
func (l logs) empty() error {
	for _, one := range l {
		if err := one.Truncate(0); err != nil {
			return err
		}
	}
	return nil
}

func (l logs) close() error {
	var errs []error
	for _, one := range l {
		errs = append(errs, one.Close())
	}
	return errors.Join(errs...)
}

// appendSync appends a record to the log and makes it durable.
func appendSync(l log, record []byte) error {
	n, err := l.Write(record)
	if err == nil && n < len(record) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return err
	}
	return l.Sync()
}

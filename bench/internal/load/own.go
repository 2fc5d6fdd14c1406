package load

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
)

// ownFile is a file that the worker makes: an *os.File or a *sluice.File.
type ownFile interface {
	file
	io.ReadWriteSeeker
	Truncate(size int64) error
}

// ownFiles are the worker's files: one for all clients, or one for each client.
type ownFiles []ownFile

// opener opens a file through a side's Way.
type opener func(name string, flag int) (ownFile, error)

// openOwn opens the files of a load that makes them.
func openOwn(s Setup) (*target, error) {
	t, open, err := ownOpener(s.Side)
	if err != nil {
		return nil, err
	}
	return openOwnBy(t, open, s)
}

// openOwnBy opens the load's files beside the file under test, which stays unchanged. It removes
// their names at once, so that the files disappear with the worker, however it ends.
func openOwnBy(t *target, open opener, s Setup) (*target, error) {
	var all ownFiles
	release := t.close
	t.close = func() error { return errors.Join(all.close(), release()) }
	var err error
	switch s.Load.Kind {
	case SyncOwn:
		if all, err = newFiles(open, s, s.Load.Goroutines, os.O_RDWR); err == nil {
			err = t.syncOwn(all, s.Load)
		}
	case ServeFile:
		if all, err = servedFiles(open, s); err == nil {
			err = t.serve(all, s)
		}
	case WriteLogs:
		all, err = newFiles(open, s, s.Load.Goroutines, os.O_RDWR|os.O_APPEND)
		t.logs(all)
	default:
		all, err = newFiles(open, s, 1, os.O_RDWR|os.O_APPEND)
		t.logs(all)
	}
	if err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// ownOpener returns the function that opens a file through the side's Way, and the target to which
// the caller adds the operations.
func ownOpener(side Side) (*target, opener, error) {
	if side.Way != BySluice {
		t := &target{close: func() error { return nil }}
		return t, func(name string, flag int) (ownFile, error) { return os.OpenFile(name, flag, 0o600) }, nil
	}
	s, release, err := scheduler(side.Driver)
	if err != nil {
		return nil, nil, &unsupportedError{err.Error()}
	}
	t := &target{explain: s.Explain, stats: func() any { return s.Stats() }, close: release}
	return t, func(name string, flag int) (ownFile, error) { return s.OpenFile(name, flag, 0o600) }, nil
}

// ownName returns a name beside the file under test that no other worker uses.
func ownName(s Setup, i int) string {
	return fmt.Sprintf("%s.own-%d-%d", cmp.Or(s.Logs, s.Path), os.Getpid(), i)
}

// newFiles makes n empty files. On an error it returns the files that it has made.
func newFiles(open opener, s Setup, n, flag int) (all ownFiles, err error) {
	for i := range n {
		name := ownName(s, i)
		f, err := open(name, flag|os.O_CREATE|os.O_EXCL)
		if err != nil {
			return all, err
		}
		all = append(all, f)
		if err := removeOpen(name); err != nil {
			return all, err
		}
	}
	return all, nil
}

// removeOpen removes the name of an open file.
func removeOpen(name string) error {
	if err := os.Remove(name); err != nil {
		return &unsupportedError{fmt.Sprintf("a file that is open cannot be removed on this system (%v)", err)}
	}
	return nil
}

func (o ownFiles) close() error {
	var errs []error
	for _, f := range o {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// logs makes each client append records to its log or to the only log. The logs are empty before
// each slice.
func (t *target) logs(all ownFiles) {
	empty := func() error {
		for _, log := range all {
			if err := log.Truncate(0); err != nil {
				return err
			}
		}
		return nil
	}
	t.begin, t.end = func(int64) error { return empty() }, empty
	t.each = func(client int) func(buf []byte, off int64) error {
		log := all[client%len(all)]
		return func(buf []byte, _ int64) error { return appendSync(log, buf) }
	}
}

// appendSync appends a record to the log and makes it durable.
func appendSync(log ownFile, record []byte) error {
	n, err := log.Write(record)
	if err == nil && n < len(record) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return err
	}
	return log.Sync()
}

// ownBlocks is the size of a file of SyncOwn, in operations. It is small because each new process
// writes its files, possibly hundreds.
const ownBlocks = 32

// syncOwn makes each client overwrite blocks of its file, and sync the file after each block. The
// files' blocks are allocated before the slice.
func (t *target) syncOwn(all ownFiles, l Load) error {
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, f := range all {
		wg.Go(func() {
			_, err := f.WriteAt(make([]byte, ownBlocks*l.Size), 0)
			errs[i] = errors.Join(err, f.Sync())
		})
	}
	wg.Wait()
	t.end = func() error { return nil }
	t.each = func(client int) func(buf []byte, off int64) error {
		own := &target{file: all[client]}
		return func(buf []byte, off int64) error { return own.writeSync(buf, off%int64(ownBlocks*l.Size)) }
	}
	return errors.Join(errs...)
}

// servedFiles makes a file of the load's size, and opens it for each client: clients read at the
// file position.
func servedFiles(open opener, s Setup) (all ownFiles, err error) {
	name := ownName(s, 0)
	if err := os.WriteFile(name, make([]byte, s.Load.Size), 0o600); err != nil {
		return nil, errors.Join(err, os.Remove(name))
	}
	for range s.Load.Goroutines {
		f, err := open(name, os.O_RDONLY)
		if err != nil {
			return all, errors.Join(err, os.Remove(name))
		}
		all = append(all, f)
	}
	return all, removeOpen(name)
}

// serve makes each client copy its file to its own connection.
func (t *target) serve(all ownFiles, s Setup) error {
	t.ownMemory = true
	var conns []io.Closer
	files := t.close
	t.close = func() error {
		errs := []error{}
		for _, c := range conns {
			errs = append(errs, c.Close())
		}
		return errors.Join(append(errs, files())...)
	}
	to := make([]io.Writer, len(all))
	for i := range all {
		c, err := net.Dial("tcp", s.Sink)
		if err != nil {
			return err
		}
		to[i], conns = c, append(conns, c)
	}
	t.each = func(client int) func(buf []byte, off int64) error {
		return func([]byte, int64) error { return send(to[client], all[client], s.Load.Size) }
	}
	return nil
}

// send copies the file from its beginning with io.Copy.
func send(to io.Writer, f ownFile, size int) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	n, err := io.Copy(to, f)
	if err == nil && n != int64(size) {
		err = fmt.Errorf("copied %d of %d bytes", n, size)
	}
	return err
}

package crashlog

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"github.com/sluiceio/sluice"
)

// longLog and shortLog are lengths at which the next log is begun, roughly. A short log has few
// commits before its file is reused. Overwriting a reused file needs no commit of the journal.
const (
	longLog  = 192 << 10 // 192 KiB
	shortLog = 16 << 10  // 16 KiB
)

// log is a log that goroutines write to.
type log struct {
	way
	dir  string
	s    *sluice.Scheduler
	note func(note)
	long int64 // longLog or shortLog

	use    sync.RWMutex // held for writing while the next log is begun
	id     logID
	target target

	place sync.Mutex // guards next and end, the number and offset of the next record
	next  int
	end   int64
}

var errNoLog = errors.New("the next log could not be begun")

// tell makes a note about the current log.
func (l *log) tell(k kind, number int) { l.note(note{l.id, k, uint32(number)}) }

func (l *log) path() string { return filepath.Join(l.dir, l.id.file()) }

// begin begins a log, in a new file or in the previous log's file.
func (l *log) begin(r *rand.Rand, old string) error {
	l.id.Generation++
	l.next, l.end = 0, 0
	var size int64
	if !l.appends && r.IntN(3) == 0 {
		size = l.long + mostBytes
	}
	flag := os.O_RDWR
	if old == "" {
		flag |= os.O_CREATE | os.O_EXCL
		l.tell(created, int(size))
	} else {
		l.tell(recycled, 0)
		if err := os.Rename(old, l.path()); err != nil {
			return err
		}
	}
	var err error
	if l.target, err = l.open(l.s, l.path(), flag, r); err != nil {
		return err
	}
	if size > 0 {
		err = l.target.Truncate(size)
	}
	if err == nil && r.IntN(3) == 0 {
		err = l.target.Allocate(0, l.long)
	}
	if err != nil {
		return err
	}
	return l.syncDir()
}

// syncDir commits the names of the logs.
func (l *log) syncDir() error {
	if l.id.Way == controlWay {
		d, err := os.Open(l.dir)
		if err != nil {
			return err
		}
		return errors.Join(d.Sync(), d.Close())
	}
	d, err := l.s.Open(l.dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// resume continues a log after its first n records.
func (l *log) resume(r *rand.Rand, n int) error {
	l.next, l.end = n, 0
	for i := range n {
		l.end += int64(l.id.length(i))
	}
	// The old bytes beyond must not pass for the records that will be written there, whose bytes
	// are the same.
	f, err := os.OpenFile(l.path(), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Truncate(l.end), f.Sync(), f.Close()); err != nil {
		return err
	}
	l.target, err = l.open(l.s, l.path(), os.O_RDWR, r)
	return err
}

// turn ends the log and begins another one.
func (l *log) turn(r *rand.Rand) error {
	l.use.Lock()
	defer l.use.Unlock()
	if l.target == nil {
		return errNoLog // another goroutine has tried and failed
	}
	if l.target == nil || l.end < l.long {
		return nil // another goroutine has done it or failed
	}
	l.tell(ended, 0)
	err := l.target.Close()
	l.target = nil
	if err != nil {
		return err
	}
	old := l.path()
	if !l.appends && r.IntN(2) == 0 {
		return l.begin(r, old)
	}
	if err := os.Remove(old); err != nil {
		return err
	}
	return l.begin(r, "")
}

// append writes a record, and returns its number.
func (l *log) append() (number int, err error) {
	l.place.Lock()
	number = l.next
	l.next++
	off, b := l.end, l.id.record(number)
	l.end += int64(len(b))
	l.tell(begun, number)
	if l.ordered {
		defer l.place.Unlock()
	} else {
		l.place.Unlock()
	}
	return number, l.target.write(b, off)
}

// step writes a few records, commits them and notes it.
func (l *log) step(r *rand.Rand) (full bool, err error) {
	l.use.RLock()
	defer l.use.RUnlock()
	if l.target == nil {
		return false, errNoLog
	}
	numbers := make([]int, 1+r.IntN(3))
	for i := range numbers {
		if numbers[i], err = l.append(); err != nil {
			return false, fmt.Errorf("write: %w", err)
		}
	}
	acknowledge := func(k kind) {
		for _, n := range numbers {
			l.tell(k, n)
		}
	}
	if r.IntN(4) == 0 {
		if err := l.target.flush(); err != nil {
			return false, fmt.Errorf("flush: %w", err)
		}
		acknowledge(written)
	}
	if err := l.target.commit(r); err != nil {
		return false, fmt.Errorf("commit: %w", err)
	}
	acknowledge(synced)
	l.place.Lock()
	defer l.place.Unlock()
	return l.end >= l.long, nil
}

// workload has a log of each way, in one directory.
type workload struct {
	logs    []*log
	stopped func() bool
	fail    func(l *log, err error)
}

// newWorkload returns a workload that has not begun any log. Each log has one of the Schedulers.
func newWorkload(dir string, schedulers []*sluice.Scheduler, long int64, r *rand.Rand, note func(note)) *workload {
	w := &workload{}
	for i, way := range ways {
		w.logs = append(w.logs, &log{way: way, dir: dir, s: schedulers[r.IntN(len(schedulers))], note: note, long: long, id: logID{Way: uint8(i)}})
	}
	return w
}

// begin begins the logs.
func (w *workload) begin(r *rand.Rand) error {
	for _, l := range w.logs {
		if err := l.begin(r, ""); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	return nil
}

// run has goroutines write to all logs until stopped returns true or a call fails.
func (w *workload) run(r *rand.Rand) {
	var all sync.WaitGroup
	for _, l := range w.logs {
		for range 1 + r.IntN(l.goroutines) {
			own := rand.New(rand.NewPCG(r.Uint64(), 0))
			all.Go(func() {
				for !w.stopped() {
					full, err := l.step(own)
					if err == nil && full {
						err = l.turn(own)
					}
					if err != nil {
						w.fail(l, err)
						return
					}
				}
			})
		}
	}
	all.Wait()
}

// close closes the files.
func (w *workload) close() (err error) {
	for _, l := range w.logs {
		if l.target != nil {
			err = errors.Join(err, l.target.Close())
			l.target = nil
		}
	}
	return err
}

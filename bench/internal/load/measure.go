package load

import (
	"sync"
	"time"
)

// Measure performs a slice of operations that work on no file: do is one operation of the client
// with that number, of which there are l.Goroutines. It ends when the window closes, or an operation
// fails. Of the rest of l only Sleeper is used.
func Measure(req SliceReq, l Load, do func(client int) error) (Slice, error) {
	var (
		all   sync.WaitGroup // the clients
		begin = make(chan struct{})
		win   = &window{open: req.Lead, close: req.Lead + req.Time}
		list  = make([]*client, l.Goroutines)
	)
	for i := range list {
		c := newClient(1)
		c.reset(func() (int64, bool) { return 0, true })
		list[i] = c
		all.Go(func() {
			<-begin
			c.run(func([]byte, int64) error { return do(i) }, win)
		})
	}
	win.start = time.Now()
	late := newSleeper(l.Sleeper, win)
	close(begin)
	all.Wait()
	s, err := sum(list, win)
	s.LateP50, s.LateMax = late()
	return s, err
}

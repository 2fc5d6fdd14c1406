package load

import (
	"sync"
	"time"
)

// Measure performs a slice of operations that use no file: client i calls do(i), for l.Goroutines
// clients. It ends when the window closes or an operation fails. It uses only Goroutines and
// Sleeper of l.
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

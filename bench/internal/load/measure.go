package load

import (
	"sync"
	"time"
)

// Measure performs a slice of operations that work on no file: do is one operation of the client
// with that number. It ends when the window closes, or an operation fails.
func Measure(req SliceReq, clients int, do func(client int) error) (Slice, error) {
	var (
		all   sync.WaitGroup // the clients
		begin = make(chan struct{})
		win   = &window{open: req.Lead, close: req.Lead + req.Time}
		list  = make([]*client, clients)
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
	close(begin)
	all.Wait()
	return sum(list, win)
}

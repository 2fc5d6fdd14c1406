// Package evict decides which block of a cache makes room for the next one. It is a state
// machine without I/O, clock or lock: the same calls give the same decisions.
//
//	uses := make([]evict.Uses, n)
//	p := evict.New(n, func(i int32) *evict.Uses { return &uses[i] })
//	p.Insert(i, key) // slot i now holds key
//	uses[i].Touch()  // the key in slot i was used
//	i, ok := p.Evict(free)
//
// The policy is S3-FIFO (Yang, Zhang, Qiu, Yue, Rashmi: FIFO queues are all you need for
// cache eviction, SOSP 2023). A new key enters a small queue, of a tenth of the slots. If it
// was used again by the time it reaches the end of that queue, it moves to the main queue,
// else it is evicted. So a scan of many keys goes through the small queue only. Keys that
// were evicted recently are remembered as ghosts. If one comes back, it enters the main
// queue at once. A hit only increments a counter: it needs no lock and moves nothing.
//
// # Concurrency
//
// Uses.Touch may be called at any time by any number of goroutines. The methods of Policy
// are called by one goroutine at a time.
package evict

// Package evict decides which block of a cache makes room for the next one. It is a state machine
// without I/O, clock or lock: the same calls give the same decisions.
//
//	uses := make([]evict.Uses, n)
//	p := evict.New(n, func(i int32) *evict.Uses { return &uses[i] })
//	p.Insert(i, key) // slot i now holds key
//	uses[i].Touch()  // the key in slot i was used
//	i, ok := p.Evict(free)
//
// The policy is S3-FIFO (Yang, Zhang, Qiu, Yue, Rashmi: FIFO queues are all you need for cache
// eviction, SOSP 2023). A new key enters a small queue, of a tenth of the slots. At the end of that
// queue a key that was used again moves to the main queue, and any other is evicted. So a scan of
// many keys goes only through the small queue. The policy remembers recently evicted keys as
// ghosts. A ghost that comes back enters the main queue at once. A hit only increments a counter:
// it needs no lock and moves nothing.
//
// # Concurrency
//
// Any number of goroutines may call Uses.Touch at any time. One goroutine at a time may call the
// methods of Policy.
package evict

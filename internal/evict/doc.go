// Package evict decides which block of a cache makes room for the next one.
// It is a state machine without I/O, clock or lock: the same calls give the
// same decisions.
//
//	uses := make([]evict.Uses, n)
//	p := evict.New(n, func(i int32) *evict.Uses { return &uses[i] })
//	p.Insert(i, key) // slot i now holds key
//	uses[i].Touch()  // … which was used
//	i, ok := p.Evict(free)
//
// The policy is S3-FIFO (Yang, Zhang, Qiu, Yue, Rashmi: FIFO queues are all
// you need for cache eviction, SOSP 2023). A new key enters a small queue, and
// is gone when it leaves that without having been used again: a scan passes
// through a tenth of the slots. One that was used moves to the main queue. A
// key that comes back soon after it was thrown out, which the ghosts remember,
// enters the main queue at once. A hit only raises a counter, so that it needs
// no lock and moves nothing.
//
// # Concurrency
//
// Uses.Touch may be called at any time by any number of goroutines. All methods
// of Policy are for one at a time.
package evict

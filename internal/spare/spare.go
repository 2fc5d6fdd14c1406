// Package spare keeps unused values, so that the next user need not make one.
package spare

import "sync"

// Pool is a sync.Pool of *T for one owner. It must not be a package variable: a value may have a
// channel, and a channel from a bubble of testing/synctest works only in that bubble. The zero
// value is ready to use.
type Pool[T any] struct{ values sync.Pool }

// Get returns a value from Put, or the result of create if there is none.
func (p *Pool[T]) Get(create func() *T) *T {
	if v, ok := p.values.Get().(*T); ok {
		return v
	}
	return create()
}

// Put takes a value that nobody uses any more.
func (p *Pool[T]) Put(v *T) { p.values.Put(v) }

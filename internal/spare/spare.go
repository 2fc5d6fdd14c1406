// Package spare keeps values that are not in use, so that the next user need not make one.
package spare

import "sync"

// Pool is a sync.Pool of *T that belongs to what uses its values. It is no variable of a package: a
// value may have a channel, and a channel that was made in a bubble of testing/synctest can be used in
// that bubble alone. The zero value is ready to use.
type Pool[T any] struct{ values sync.Pool }

// Get returns a value that Put has taken, or the result of create if there is none.
func (p *Pool[T]) Get(create func() *T) *T {
	if v, ok := p.values.Get().(*T); ok {
		return v
	}
	return create()
}

// Put takes a value that is not in use any more.
func (p *Pool[T]) Put(v *T) { p.values.Put(v) }

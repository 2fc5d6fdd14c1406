//go:build !probes

package probe

import (
	"sync"
	"sync/atomic"
)

type (
	Int32          = atomic.Int32
	Uint32         = atomic.Uint32
	Bool           = atomic.Bool
	Pointer[T any] = atomic.Pointer[T]
	Mutex          = sync.Mutex
)

// Receive receives from c. The goroutine that sends to c holds mu.
func Receive(_ *Mutex, c chan struct{}) { <-c }

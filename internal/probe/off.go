//go:build !probes

package probe

import (
	"sync"
	"sync/atomic"
)

// Int32 is an atomic.Int32.
type Int32 = atomic.Int32

// Uint32 is an atomic.Uint32.
type Uint32 = atomic.Uint32

// Bool is an atomic.Bool.
type Bool = atomic.Bool

// Pointer is an atomic.Pointer.
type Pointer[T any] = atomic.Pointer[T]

// Mutex is a sync.Mutex.
type Mutex = sync.Mutex

// Receive receives from c. The goroutine that sends to c holds mu.
func Receive(_ *Mutex, c chan struct{}) { <-c }

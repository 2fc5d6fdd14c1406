//go:build !sluice_probes

package probe

import (
	"sync"
	"sync/atomic"
)

// Int32 is atomic.Int32.
type Int32 = atomic.Int32

// An Int64 is an atomic.Int64.
type Int64 = atomic.Int64

// Uint32 is atomic.Uint32.
type Uint32 = atomic.Uint32

// Bool is atomic.Bool.
type Bool = atomic.Bool

// Pointer is atomic.Pointer.
type Pointer[T any] = atomic.Pointer[T]

// Mutex is sync.Mutex.
type Mutex = sync.Mutex

// Receive receives from c.
func Receive(c chan struct{}) { <-c }

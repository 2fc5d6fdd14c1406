//go:build !probes

package ioengine

import (
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// The types here are those of the fields that the goroutines of an Engine share. They are
// the types of sync and sync/atomic. With the build tag probes (probe_on.go) they report each
// access to a test, which decides whose access is the next one. So the test tries the wake-up
// protocol in many orders of its steps (TestOrdersOfTheProtocol).
type (
	probedInt32  = atomic.Int32
	probedUint32 = atomic.Uint32
	probedBool   = atomic.Bool
	probedOp     = atomic.Pointer[driver.Op]
	probedMutex  = sync.Mutex
)

// receive receives from c. The goroutine that sends to c holds mu.
func receive(_ *probedMutex, c chan struct{}) { <-c }

//go:build !linux

package crowd

import "time"

const openDirect = 0

// memory returns n bytes.
func memory(n int) ([]byte, error) { return make([]byte, n), nil }

// stolenTime is not known.
func stolenTime() time.Duration { return 0 }

//go:build !unix

package sys

import "time"

// ProcessorTime returns 0: how much processor time the process has used is not known.
func ProcessorTime() time.Duration { return 0 }

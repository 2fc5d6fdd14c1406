// Package otiai copies trees by the Go library github.com/otiai10/copy, so that `sluice bench`
// can measure the library beside programs.
package otiai

import "github.com/otiai10/copy"

// Copy copies the tree src to dst, which must not exist, with so many workers.
func Copy(dst, src string, workers int) error {
	return copy.Copy(src, dst, copy.Options{NumOfWorkers: int64(workers)})
}

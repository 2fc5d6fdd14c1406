//go:build unix

package verify

import (
	"errors"
	"os"
)

// syncDir waits until the names in a directory are on the disk.
func syncDir(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

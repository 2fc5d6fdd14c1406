//go:build unix

package toolbox

import (
	"fmt"
	"syscall"
)

// become replaces this program by another.
func become(file string, argv, env []string) error {
	return fmt.Errorf("cannot start %s: %w", file, syscall.Exec(file, argv, env))
}

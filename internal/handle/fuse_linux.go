package handle

import (
	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// inUserSpace reports whether fd is a file of FUSE.
func inUserSpace(fd int) bool { return sys.FileSystem(fd) == unix.FUSE_SUPER_MAGIC }

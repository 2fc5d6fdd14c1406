package gnucp

import (
	"os"
	"sync"
)

// hasSELinux reports whether SELinux is enabled. Like libselinux it looks for SELinux's file
// system.
var hasSELinux = sync.OnceValue(func() bool {
	_, err := os.Stat("/sys/fs/selinux/enforce")
	return err == nil
})

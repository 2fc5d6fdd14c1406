package cp

import (
	"os"
	"sync"
)

// hasSELinux says whether the kernel has SELinux enabled, as libselinux finds
// out: its file system is there.
var hasSELinux = sync.OnceValue(func() bool {
	_, err := os.Stat("/sys/fs/selinux/enforce")
	return err == nil
})

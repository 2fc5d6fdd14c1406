package sys

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// atSecure is AT_SECURE in linux/auxvec.h.
const atSecure = 23

// SecureMode reports whether this process has rights that the user who started it does not
// have: its program is set-user-ID or set-group-ID, or has capabilities. That user has chosen
// the environment, which must not name files then (secure_getenv(3)).
var SecureMode = sync.OnceValue(func() bool {
	vector, err := unix.Auxv()
	if err != nil { // the kernel gives no answer
		return os.Getuid() != os.Geteuid() || os.Getgid() != os.Getegid()
	}
	for _, entry := range vector {
		if entry[0] == atSecure {
			return entry[1] != 0
		}
	}
	return false
})

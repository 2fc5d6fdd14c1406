//go:build unix

package cp

import "syscall"

// errQuota is that of a user who may not have more room.
const errQuota = syscall.EDQUOT

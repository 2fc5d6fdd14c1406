//go:build unix

package cp

import "syscall"

// errQuota means that the user's disk quota is used up.
const errQuota = syscall.EDQUOT

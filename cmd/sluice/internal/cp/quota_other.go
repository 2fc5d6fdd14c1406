//go:build !unix

package cp

import "errors"

// errQuota is of Unix.
var errQuota = errors.New("disk quota exceeded")

//go:build !unix

package cp

import "errors"

// errQuota never happens: EDQUOT is an error of Unix.
var errQuota = errors.New("disk quota exceeded")

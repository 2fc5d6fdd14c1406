package sys

import "golang.org/x/sys/unix"

// Sendfile is sendfile(2) of at most n bytes, from in's position to out.
func Sendfile(out, in, n int) int32 {
	return Result(unix.Sendfile(out, in, nil, n))
}

//go:build !linux

package sys

// O_DIRECT is open(2)'s flag for I/O past the page cache; 0 where the system has none.
// Only Linux has an asynchronous path for direct I/O, so it is 0 elsewhere.
const O_DIRECT = 0

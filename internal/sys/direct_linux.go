package sys

import "syscall"

// O_DIRECT is open(2)'s flag for I/O past the page cache; 0 where the system has none.
const O_DIRECT = syscall.O_DIRECT

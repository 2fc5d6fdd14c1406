// Package copies tests io.Copy and its like with a File at one end or both: what the kernel copies between
// files, sockets and pipes, and what it does not.
package copies

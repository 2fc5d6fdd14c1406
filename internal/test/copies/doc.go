// Package copies tests io.Copy, ReadFrom and WriteTo of a File: what the kernel copies between
// files, sockets and pipes, and what goes by Reads and Writes.
package copies

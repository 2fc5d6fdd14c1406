// Package copies tests io.Copy, ReadFrom and WriteTo of a File: copies in the kernel between files,
// sockets and pipes, and copies by Reads and Writes.
package copies

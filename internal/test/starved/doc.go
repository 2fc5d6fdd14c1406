// Package starved is a test of what happens when something runs out, or does not answer: room on the disk, a
// quota, descriptors, locked memory, places in the queue, processor time, a device whose file system is frozen.
//
// Calls then return the error that package os would return, and the count of the bytes that are there. When
// there is enough again they work as before.
package starved

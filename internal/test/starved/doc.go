// Package starved tests calls when something runs out or does not answer: room on the disk, a
// quota, descriptors, locked memory, places in the queue, processor time, a frozen device.
//
// Calls must then return package os's error, and the count of the bytes in the file. When there is
// enough again, they must work as before.
package starved

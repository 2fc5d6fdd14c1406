// Package depths measures the depth that keeps a device busy. It reads a file at
// random offsets with O_DIRECT, with growing numbers of reads in flight.
package depths

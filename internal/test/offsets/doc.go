// Package offsets compares methods with an offset to os.File's, for special offsets and lengths:
// around 2^31, 2^32, the largest file of the file system and the largest offset.
package offsets

// Package offsets tests the methods that take an offset, beside os.File, where offsets and lengths
// become special: around 2^31, 2^32, the largest file of the file system and the largest offset.
package offsets

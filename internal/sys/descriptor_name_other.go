//go:build !linux

package sys

// DescriptorName returns "": the name of an open file is not known.
func DescriptorName(int) string { return "" }

//go:build unix && !linux

package handle

func inUserSpace(int) bool { return false }

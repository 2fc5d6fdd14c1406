//go:build unix && !linux

package sluice

func inUserSpace(int) bool { return false }

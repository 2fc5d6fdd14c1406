//go:build !linux

package trace

func (m *Meta) machine() {}

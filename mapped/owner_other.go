//go:build !linux

package mapped

func mayAsk(int) bool { return false }

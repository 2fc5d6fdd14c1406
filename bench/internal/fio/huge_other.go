//go:build !linux

package fio

import "errors"

// hugeFrom is the smallest request that needs contiguous memory.
const hugeFrom = 64 << 10 // 64 KiB

type hugePages struct{}

func takeHugePages(int64) (*hugePages, error) {
	return nil, errors.New("fio has huge pages on Linux only")
}

func (*hugePages) ensure() error { return nil }
func (*hugePages) release()      {}

//go:build !linux

package sluice

import "io"

// sendTo and receiveFrom leave the copy to package net, or to Read and Write.

func (f *File) sendTo(io.Writer) (n int64, handled bool, err error) { return 0, false, nil }

func (f *File) receiveFrom(io.Reader, *io.LimitedReader) (n int64, handled bool, err error) {
	return 0, false, nil
}

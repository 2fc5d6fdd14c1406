package trace

import (
	"encoding/binary"
	"strings"
)

// message is a protocol buffer message being encoded.
type message []byte

const (
	wireVarint = 0
	wireBytes  = 2
)

func (m message) tag(field, wire int) message {
	return binary.AppendUvarint(m, uint64(field)<<3|uint64(wire))
}

// uint appends a field of type uint64, int64, uint32, bool or enum. The caller passes a negative
// int64 as its two's complement.
func (m message) uint(field int, v uint64) message {
	return binary.AppendUvarint(m.tag(field, wireVarint), v)
}

// bytes appends a field that is the message b.
func (m message) bytes(field int, b message) message {
	m = binary.AppendUvarint(m.tag(field, wireBytes), uint64(len(b)))
	return append(m, b...)
}

// text appends a field of type string. It replaces bytes that are not UTF-8.
func (m message) text(field int, s string) message {
	s = strings.ToValidUTF8(s, "\uFFFD")
	m = binary.AppendUvarint(m.tag(field, wireBytes), uint64(len(s)))
	return append(m, s...)
}

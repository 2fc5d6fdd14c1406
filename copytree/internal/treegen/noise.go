package treegen

import "encoding/binary"

// noise fills b with the bytes at off of an endless sequence that fill selects. Each eight bytes
// are the scrambled offset (the finalizer of splitmix64). They are never all zeros, so that no
// block looks like a hole. off must be a multiple of 8.
func noise(b []byte, fill, off int64) {
	for i := 0; i < len(b); i += 8 {
		z := uint64(fill)*0x9e3779b97f4a7c15 + uint64(off+int64(i))
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z = z ^ z>>31 | 1
		if len(b)-i >= 8 {
			binary.LittleEndian.PutUint64(b[i:], z)
			continue
		}
		var last [8]byte
		binary.LittleEndian.PutUint64(last[:], z)
		copy(b[i:], last[:])
	}
}

// Value returns the attribute's value.
func (x Xattr) Value() []byte {
	b := make([]byte, x.Len)
	noise(b, x.Fill, 0)
	return b
}

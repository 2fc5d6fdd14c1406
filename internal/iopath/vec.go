package iopath

// Vec is the untransferred rest of one or several buffers.
type Vec struct {
	First []byte // not empty, unless nothing is left
	Rest  [][]byte
}

// VecOf returns a Vec of first and rest.
func VecOf(first []byte, rest [][]byte) Vec {
	v := Vec{first, rest}
	v.Advance(0)
	return v
}

// Advance drops the first n bytes.
func (v *Vec) Advance(n int) {
	for n >= len(v.First) && len(v.Rest) > 0 {
		n -= len(v.First)
		v.First, v.Rest = v.Rest[0], v.Rest[1:]
	}
	v.First = v.First[n:]
}

// Size returns how many bytes are left.
func (v *Vec) Size() int {
	n := len(v.First)
	for _, b := range v.Rest {
		n += len(b)
	}
	return n
}

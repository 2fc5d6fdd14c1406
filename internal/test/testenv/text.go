package testenv

// Fill fills b with the bytes at off of the endless text number id. Texts differ nearly everywhere,
// and so do places in a text.
func Fill(b []byte, off int64, id uint64) {
	var word uint64
	for i := range b {
		at := uint64(off) + uint64(i)
		if i == 0 || at&7 == 0 {
			word = mix(id<<32 ^ at>>3)
		}
		b[i] = byte(word >> (8 * (at & 7)))
	}
}

// mix is the output function of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

//go:build race || sluicedebug

package buffer

import "bytes"

// debug makes misuse panic.
const debug = true

var poisoned = bytes.Repeat([]byte{0xdb}, minBlock)

// poison overwrites the memory of a block that was released.
func poison(mem []byte) {
	for ; len(mem) > 0; mem = mem[minBlock:] {
		copy(mem, poisoned)
	}
}

// checkPoison panics if mem was written to since poison.
func checkPoison(mem []byte) {
	for ; len(mem) > 0; mem = mem[minBlock:] {
		if !bytes.Equal(mem[:minBlock], poisoned) {
			panic("buffer: memory was written to after its Buffer had been released")
		}
	}
}

func misuse(what string) {
	panic("buffer: " + what + " of a Buffer that has been released")
}

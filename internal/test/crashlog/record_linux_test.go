package crashlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

// logID names a log: a way to write, and a number that changes whenever the log begins anew.
type logID struct {
	Way        uint8
	Generation uint32
}

func (id logID) file() string { return fmt.Sprintf("%s.%d", ways[id.Way].name, id.Generation) }

// A record is a head and random bytes. The head has five little-endian numbers of 4 bytes: a
// checksum of the rest, the length with the head, way, generation, number.
const (
	headSize  = 20
	mostBytes = headSize + 20_000
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// source returns the random source of a record's length and bytes.
func (id logID) source(number int) *rand.PCG {
	return rand.NewPCG(uint64(id.Way)<<32|uint64(id.Generation), uint64(number))
}

// length returns the length of a record: mostly short, some long, some of whole sectors and pages.
func (id logID) length(number int) int { return length(rand.New(id.source(number))) }

func length(r *rand.Rand) int {
	switch r.IntN(8) {
	case 0:
		return 4096 * (1 + r.IntN(3))
	case 1:
		return 512 * (1 + r.IntN(4))
	case 2:
		return headSize + r.IntN(mostBytes-headSize)
	}
	return headSize + r.IntN(800)
}

// record returns all bytes of a record.
func (id logID) record(number int) []byte {
	p := id.source(number)
	b := make([]byte, length(rand.New(p)), mostBytes+8)
	for i := 0; i < len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:i+8:cap(b)], p.Uint64())
	}
	for i, v := range []uint32{uint32(len(b)), uint32(id.Way), id.Generation, uint32(number)} {
		binary.LittleEndian.PutUint32(b[4+4*i:], v)
	}
	binary.LittleEndian.PutUint32(b, crc32.Checksum(b[4:], castagnoli))
	return b
}

var (
	errNone  = errors.New("is not there")
	errTorn  = errors.New("is torn: its checksum is wrong")
	errOther = errors.New("is another record")
)

// parse returns the record at the beginning of b, like a program that reads a log after a crash.
func parse(b []byte) (id logID, number int, record []byte, err error) {
	if len(b) < headSize || bytes.Count(b[:headSize], []byte{0}) == headSize {
		return id, 0, nil, errNone
	}
	n := binary.LittleEndian.Uint32(b[4:])
	if n < headSize || int64(n) > int64(len(b)) || crc32.Checksum(b[4:n], castagnoli) != binary.LittleEndian.Uint32(b) {
		return id, 0, nil, errTorn
	}
	id = logID{uint8(binary.LittleEndian.Uint32(b[8:])), binary.LittleEndian.Uint32(b[12:])}
	return id, int(binary.LittleEndian.Uint32(b[16:])), b[:n], nil
}

// expect returns an error unless b begins with the record of that number.
func (id logID) expect(b []byte, number int) error {
	switch gotID, got, record, err := parse(b); {
	case err != nil:
		return err
	case gotID != id || got != number:
		return fmt.Errorf("%w: number %d of %s", errOther, got, gotID.file())
	case !bytes.Equal(record, id.record(number)):
		return errors.New("has wrong bytes, and the right checksum")
	}
	return nil
}

// TestTornRecord checks that a partly written record is found out, wherever it ends.
func TestTornRecord(t *testing.T) {
	id := logID{1, 7}
	for number := range 50 {
		whole := id.record(number)
		if len(whole) != id.length(number) {
			t.Fatalf("record %d has %d bytes; want %d", number, len(whole), id.length(number))
		}
		if err := id.expect(append(bytes.Clone(whole), 1, 2, 3), number); err != nil {
			t.Errorf("record %d: %v", number, err)
		}
		if err := id.expect(whole, number+1); !errors.Is(err, errOther) {
			t.Errorf("record %d as record %d: %v; want %v", number, number+1, err, errOther)
		}
		for at := 0; at < len(whole); at += 1 + len(whole)/9 {
			torn := make([]byte, len(whole))
			copy(torn, whole[:at])
			if err := id.expect(torn, number); err == nil && !bytes.Equal(torn, whole) {
				t.Errorf("the first %d of %d bytes of record %d pass as the record", at, len(whole), number)
			}
			torn = bytes.Clone(whole)
			torn[at] ^= 1
			if err := id.expect(torn, number); err == nil {
				t.Errorf("record %d passes with byte %d changed", number, at)
			}
		}
	}
}

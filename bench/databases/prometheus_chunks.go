package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/mapped"
)

// This file gives Prometheus another reader of chunks, without a change to Prometheus. Its database
// has the option BlockQuerierFunc: a function that gets each queried block, and may wrap it with
// its reader of chunks (tsdb.ChunkReader). Our reader finds chunks as Prometheus's does, in memory
// that a segment has loaded.

// segment is a file of chunks.
type segment interface {
	// Load returns the n bytes at off. They do not change until Close.
	Load(off, n int64) ([]byte, error)
	Len() int64
	Close() error
}

// segments has the files of chunks of each block, by ULID.
type segments map[string][]segment

// openSegments opens the files of chunks of all blocks of a database.
func openSegments(blocks []*tsdb.Block, open func(name string) (segment, error)) (segments, error) {
	all := segments{}
	for _, b := range blocks {
		// In order: 000001, 000002.
		names, err := filepath.Glob(filepath.Join(b.Dir(), "chunks", "*"))
		if err != nil {
			return nil, errors.Join(err, all.Close())
		}
		id := b.Meta().ULID.String()
		for _, name := range names {
			one, err := open(name)
			if err != nil {
				return nil, errors.Join(err, all.Close())
			}
			all[id] = append(all[id], one)
		}
	}
	return all, nil
}

// Close closes the files. No query may be in progress.
func (s segments) Close() (err error) {
	for _, list := range s {
		for _, one := range list {
			err = errors.Join(err, one.Close())
		}
	}
	return err
}

// querier is a tsdb.BlockQuerierFunc.
func (s segments) querier(b tsdb.BlockReader, mint, maxt int64) (storage.Querier, error) {
	return tsdb.NewBlockQuerier(segmentBlock{b, s[b.Meta().ULID.String()]}, mint, maxt)
}

// segmentBlock is a block whose chunks are read by a chunkReader. The block's own reader stays
// open, so that the block is not closed.
type segmentBlock struct {
	tsdb.BlockReader
	files []segment
}

func (b segmentBlock) Chunks() (tsdb.ChunkReader, error) {
	own, err := b.BlockReader.Chunks()
	if err != nil {
		return nil, err
	}
	return chunkReader{own, b.files}, nil
}

// chunkReader is the tsdb.ChunkReader of a segmentBlock.
type chunkReader struct {
	tsdb.ChunkReader // its Close
	files            []segment
}

// chunkPool has the chunks of all readers.
var chunkPool = chunkenc.NewPool()

// castagnoli is the table of the checksums of chunks.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ChunkOrIterable reads a chunk: the length of the data as a varint, the encoding, the data, and a
// checksum of encoding and data.
func (r chunkReader) ChunkOrIterable(meta chunks.Meta) (chunkenc.Chunk, chunkenc.Iterable, error) {
	i, at := chunks.BlockChunkRef(meta.Ref).Unpack()
	if i >= len(r.files) {
		return nil, nil, fmt.Errorf("a chunk in file %d of %d", i+1, len(r.files))
	}
	file, off := r.files[i], int64(at)
	head, err := file.Load(off, chunks.MaxChunkLengthFieldSize)
	if err != nil {
		return nil, nil, err
	}
	length, n := binary.Uvarint(head)
	if n <= 0 || length > uint64(file.Len()) {
		return nil, nil, fmt.Errorf("the chunk at %d of file %d has no length", off, i+1)
	}
	b, err := file.Load(off+int64(n), chunks.ChunkEncodingSize+int64(length)+crc32.Size)
	if err != nil {
		return nil, nil, err
	}
	b, sum := b[:len(b)-crc32.Size], b[len(b)-crc32.Size:]
	if crc32.Checksum(b, castagnoli) != binary.BigEndian.Uint32(sum) {
		return nil, nil, fmt.Errorf("the chunk at %d of file %d has another checksum", off, i+1)
	}
	c, err := chunkPool.Get(chunkenc.Encoding(b[0]), b[chunks.ChunkEncodingSize:])
	return c, nil, err
}

// mappedSegment is read by mapped.Mapping.Load.
type mappedSegment struct {
	*mapped.Mapping
	file *sluice.File
}

func openMapped(name string) (*mappedSegment, error) {
	f, err := sluice.Open(name)
	if err != nil {
		return nil, err
	}
	m, err := mapped.Map(f, 0, 0)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	s := &mappedSegment{m, f}
	if err := m.Advise(0, 0, sluice.AdviceRandom); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *mappedSegment) Len() int64 { return int64(len(s.Bytes())) }

func (s *mappedSegment) Close() error { return errors.Join(s.Mapping.Close(), s.file.Close()) }

// touchedSegment is the same memory without Load: a missing page is a page fault.
type touchedSegment struct{ *mappedSegment }

func (s touchedSegment) Load(off, n int64) ([]byte, error) {
	if n < 0 || off < 0 || n > s.Len()-off {
		return nil, fmt.Errorf("%d bytes at %d are not in the file, which has %d", n, off, s.Len())
	}
	return s.Bytes()[off : off+n], nil
}

// readSegment is read by os.File.ReadAt into separate memory.
type readSegment struct {
	*os.File
	size int64
}

func openRead(name string) (segment, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return readSegment{f, info.Size()}, nil
}

func (s readSegment) Len() int64 { return s.size }

func (s readSegment) Load(off, n int64) ([]byte, error) {
	b := make([]byte, n)
	_, err := s.ReadAt(b, off)
	return b, err
}

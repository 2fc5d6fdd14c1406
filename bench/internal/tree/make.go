package tree

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Make makes the tree in dir, which must not exist. The files' contents cannot be compressed and
// differ from file to file. It calls progress with the completed fraction.
func Make(ctx context.Context, dir string, s Shape, progress func(float64)) error {
	m := maker{Shape: s, ctx: ctx, progress: progress, data: make([]byte, s.FileSize)}
	_, _ = rand.NewChaCha8([32]byte{}).Read(m.data) // cannot fail
	return m.dir(dir, 1)
}

type maker struct {
	Shape
	ctx      context.Context
	progress func(float64)
	data     []byte
	done     int64 // files made
}

// dir makes a directory of that level with everything in it.
func (m *maker) dir(name string, level int) error {
	if m.ctx.Err() != nil {
		return context.Cause(m.ctx)
	}
	if err := os.Mkdir(name, 0o755); err != nil {
		return err
	}
	for i := range m.Width {
		if err := m.file(filepath.Join(name, fmt.Sprintf("file%d", i))); err != nil {
			return err
		}
	}
	m.progress(float64(m.done) / float64(m.Files()))
	if level == m.Levels {
		return nil
	}
	for i := range m.Width {
		if err := m.dir(filepath.Join(name, subdirectory(i)), level+1); err != nil {
			return err
		}
	}
	return nil
}

func subdirectory(i int) string { return fmt.Sprintf("dir%d", i) }

// Part returns the first subdirectory of dir, which is a tree with one level less.
func Part(dir string) string { return filepath.Join(dir, subdirectory(0)) }

func (m *maker) file(name string) error {
	m.done++
	if len(m.data) >= 8 {
		binary.LittleEndian.PutUint64(m.data, uint64(m.done))
	}
	return os.WriteFile(name, m.data, 0o644)
}

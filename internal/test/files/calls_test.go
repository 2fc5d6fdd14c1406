package files

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sluiceio/sluice/internal/test/testenv"
)

// call is a use of a File with the same outcome in os and sluice. do returns its results, the error
// last.
type call struct {
	name string
	do   func(f testenv.FileAPI) []any
}

func calls() []call {
	return slices.Concat(readCalls(), writeCalls(), placeCalls(), otherCalls())
}

func readCalls() (c []call) {
	for _, n := range []int{0, 1, 10, 100} {
		c = append(c, call{fmt.Sprintf("Read %d", n), func(f testenv.FileAPI) []any { return read(f, n) }})
	}
	for _, at := range []struct {
		n   int
		off int64
	}{{10, 0}, {10, 5}, {3, 17}, {1, 20}, {10, 1000}, {0, 0}, {0, 1000}, {10, -1}, {0, -1}, {10, math.MinInt64}, {10, math.MaxInt64 - 5}, {10, math.MaxInt64}} {
		c = append(c, call{fmt.Sprintf("ReadAt %d, %d", at.n, at.off), func(f testenv.FileAPI) []any {
			b := make([]byte, at.n)
			n, err := f.ReadAt(b, at.off)
			return []any{n, string(b[:n]), err}
		}})
	}
	return append(c,
		call{"WriteTo a buffer", func(f testenv.FileAPI) []any { return writeTo(f, &testenv.Limited{Most: 200}) }},
		call{"WriteTo what fails", func(f testenv.FileAPI) []any { return writeTo(f, &testenv.Limited{Most: 5}) }},
		call{"io.Copy from it", func(f testenv.FileAPI) []any {
			w := &testenv.Limited{Most: 200}
			n, err := io.Copy(w, f)
			return []any{n, w.String(), err}
		}},
		call{"io.ReadFull past the end", func(f testenv.FileAPI) []any {
			b := make([]byte, 30)
			n, err := io.ReadFull(f, b)
			return []any{n, string(b[:n]), err}
		}})
}

func read(f testenv.FileAPI, n int) []any {
	b := make([]byte, n)
	n, err := f.Read(b)
	return []any{n, string(b[:n]), err}
}

func writeTo(f testenv.FileAPI, w *testenv.Limited) []any {
	n, err := f.WriteTo(w)
	return []any{n, w.String(), err}
}

func writeCalls() (c []call) {
	for _, text := range []string{"", "abc", strings.Repeat("long ", 2000)} {
		name := fmt.Sprintf("%d", len(text))
		c = append(c,
			call{"Write " + name, func(f testenv.FileAPI) []any { n, err := f.Write([]byte(text)); return []any{n, err} }},
			call{"WriteString " + name, func(f testenv.FileAPI) []any { n, err := f.WriteString(text); return []any{n, err} }},
			call{"ReadFrom " + name, func(f testenv.FileAPI) []any { n, err := f.ReadFrom(strings.NewReader(text)); return []any{n, err} }},
			call{"ReadFrom what fails, " + name, func(f testenv.FileAPI) []any {
				n, err := f.ReadFrom(io.MultiReader(strings.NewReader(text), failing{}))
				return []any{n, err}
			}},
			call{"io.CopyN to it, " + name, func(f testenv.FileAPI) []any {
				n, err := io.CopyN(f, strings.NewReader(text), 100)
				return []any{n, err}
			}})
		for _, off := range []int64{0, 5, 18, 500, -1, math.MinInt64, math.MaxInt64 - 5, math.MaxInt64} {
			c = append(c, call{fmt.Sprintf("WriteAt %s, %d", name, off), func(f testenv.FileAPI) []any {
				n, err := f.WriteAt([]byte(text), off)
				return []any{n, err}
			}})
		}
	}
	return c
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, testenv.ErrNoRoom }

func placeCalls() (c []call) {
	for _, to := range []struct {
		off    int64
		whence int
	}{{3, 0}, {0, 1}, {2, 1}, {-2, 2}, {5, 2}, {-1, 0}, {-100, 1}, {-100, 2}, {0, 3}, {0, 4}, {0, 9}, {0, -1}, {math.MaxInt64, 0}, {math.MaxInt64, 2}} {
		c = append(c, call{fmt.Sprintf("Seek %d, %d", to.off, to.whence), func(f testenv.FileAPI) []any {
			pos, err := f.Seek(to.off, to.whence)
			return append([]any{pos, err}, read(f, 4)...)
		}})
	}
	for _, size := range []int64{0, 3, 100, -1, math.MinInt64, math.MaxInt64} {
		c = append(c, call{fmt.Sprintf("Truncate %d", size), func(f testenv.FileAPI) []any { return []any{f.Truncate(size)} }})
	}
	return append(c,
		call{"Write after Seek beyond the end", func(f testenv.FileAPI) []any {
			pos, err := f.Seek(50, io.SeekStart)
			n, err1 := f.Write([]byte("far"))
			return []any{pos, err, n, err1}
		}},
		call{"Read, Write, Read", func(f testenv.FileAPI) []any {
			r := read(f, 4)
			n, err := f.Write([]byte("mid"))
			return slices.Concat(r, []any{n, err}, read(f, 4))
		}})
}

func otherCalls() []call {
	later := time.Now().Add(time.Hour)
	return []call{
		{"Sync", func(f testenv.FileAPI) []any { return []any{f.Sync()} }},
		{"Close", func(f testenv.FileAPI) []any { return []any{f.Close()} }},
		{"Close twice", func(f testenv.FileAPI) []any { return []any{f.Close(), f.Close()} }},
		// A directory stays searchable.
		{"Chmod", func(f testenv.FileAPI) []any { return []any{f.Chmod(0o740)} }},
		{"Chown", func(f testenv.FileAPI) []any { return []any{f.Chown(-1, -1)} }},
		{"Name", func(f testenv.FileAPI) []any { return []any{testenv.Inside(f.Name(), "")} }},
		{"Fd", func(f testenv.FileAPI) []any { return []any{f.Fd() == ^uintptr(0)} }},
		{"SetDeadline", func(f testenv.FileAPI) []any { return []any{f.SetDeadline(later)} }},
		{"SetDeadline 0", func(f testenv.FileAPI) []any { return []any{f.SetDeadline(time.Time{})} }},
		{"SetReadDeadline", func(f testenv.FileAPI) []any { return []any{f.SetReadDeadline(later)} }},
		{"SetWriteDeadline", func(f testenv.FileAPI) []any { return []any{f.SetWriteDeadline(later)} }},
		{"SyscallConn", func(f testenv.FileAPI) []any {
			conn, err := f.SyscallConn()
			if err != nil {
				return []any{err}
			}
			used := false
			err = conn.Control(func(uintptr) { used = true })
			return []any{used, err}
		}},
		{"Stat", func(f testenv.FileAPI) []any {
			info, err := f.Stat()
			if err != nil {
				return []any{err}
			}
			return []any{info.Name(), info.Mode(), info.IsDir()}
		}},
		{"Readdir", func(f testenv.FileAPI) []any { l, err := f.Readdir(-1); return []any{len(l), err} }},
		{"ReadDir", func(f testenv.FileAPI) []any { l, err := f.ReadDir(1); return []any{len(l), err} }},
		{"Readdirnames", func(f testenv.FileAPI) []any { l, err := f.Readdirnames(0); return []any{l, err} }},
		{"Readdirnames, then Seek", func(f testenv.FileAPI) []any {
			l, err := f.Readdirnames(1)
			pos, err1 := f.Seek(0, io.SeekStart)
			return []any{l, err, pos, err1}
		}},
	}
}

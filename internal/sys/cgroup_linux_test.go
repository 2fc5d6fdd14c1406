package sys

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// TestCgroupMemory reads the systems in testdata/cgroup, one in each file: the expected limit,
// and then the files of the system, each after its name.
func TestCgroupMemory(t *testing.T) {
	names, err := filepath.Glob("testdata/cgroup/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			parts := strings.Split(string(b), "\n-- ")
			_, wants, _ := strings.Cut(parts[0], "limit: ")
			want, err := strconv.ParseInt(strings.TrimSpace(wants), 10, 64)
			if strings.TrimSpace(wants) == "none" {
				want, err = unlimited, nil
			}
			if err != nil {
				t.Fatal(err)
			}
			root := fstest.MapFS{}
			for _, part := range parts[1:] {
				name, data, _ := strings.Cut(part, " --\n")
				root[name] = &fstest.MapFile{Data: []byte(data + "\n")}
			}
			if got := cgroupMemory(root); got != want {
				t.Errorf("the limit is %d; want %d", got, want)
			}
		})
	}
}

// The function returns, whatever the files contain.
func FuzzCgroupMemory(f *testing.F) {
	f.Add("0::/a/../b\n4:memory:/\n", "1 2 0:3 / /cg rw - cgroup2 none rw\n", "12\n")
	f.Add("0::\n", "1 2 0:3 \\057 /c\\04 rw - cgroup2 none rw\n", "max\n")
	f.Fuzz(func(t *testing.T, groups, mounts, limit string) {
		root := fstest.MapFS{
			"proc/self/cgroup":    {Data: []byte(groups)},
			"proc/self/mountinfo": {Data: []byte(mounts)},
			"cg/memory.max":       {Data: []byte(limit)},
		}
		if n := cgroupMemory(root); n < 0 {
			t.Errorf("the limit is %d", n)
		}
	})
}

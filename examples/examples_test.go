package examples_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var programs = []string{"compaction", "diskcopy", "indexread", "rangeserver", "synclog", "treesum"}

// bin is the folder of the programs, built once for all tests.
var bin string

func TestMain(m *testing.M) { os.Exit(build(m)) }

func build(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "sluice-examples")
	if err == nil {
		defer os.RemoveAll(dir)
		cmd := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "./...")
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		err = cmd.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "building the examples:", err)
		return 1
	}
	bin = dir
	return m.Run()
}

func command(program string, args ...string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	return exec.Command(filepath.Join(bin, program), args...)
}

// run returns what the program writes to standard output. It must succeed.
func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := command(program, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("%s %q = %v, writes to standard error:\n%s", program, args, err, &errs)
	}
	return string(out)
}

// fails checks that the program exits with the code, and that standard error contains the text.
func fails(t *testing.T, code int, text, program string, args ...string) {
	t.Helper()
	cmd := command(program, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != code || !strings.Contains(errs.String(), text) {
		t.Errorf("%s %q = %v, writes to standard error:\n%s\nwant exit status %d, and %q", program, args, err, &errs, code, text)
	}
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// noise returns n bytes that do not repeat in blocks.
func noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8*13 + i>>16)
	}
	return b
}

func TestUsage(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for _, p := range programs {
		fails(t, 2, "usage: "+p+" [flags] ", p)
		fails(t, 2, "usage: "+p+" [flags] ", p, "a", "b", "c")
		if err := command(p, "-h").Run(); err != nil {
			t.Errorf("%s -h = %v; want exit status 0", p, err)
		}
	}
	fails(t, 1, "rangeserver: open "+none, "rangeserver", none)
	fails(t, 1, "is no regular file", "rangeserver", t.TempDir())
	fails(t, 1, "treesum: ", "treesum", none)
	fails(t, 1, "indexread: open "+none+".index", "indexread", none)
	fails(t, 1, "diskcopy: open "+none, "diskcopy", none, none+"2")
	fails(t, 1, "compaction: ", "compaction", none)
	fails(t, 1, "synclog: open ", "synclog", filepath.Join(none, "log"))
}

func TestRangeserver(t *testing.T) {
	data := noise(100_000)
	name := filepath.Join(t.TempDir(), "data")
	write(t, name, data)
	cmd := command("rangeserver", "-addr", "127.0.0.1:0", "-max", "50000", name)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("its first line: %q, %v", line, err)
	}
	url := line[strings.Index(line, "http://"):strings.Index(line, "?")]
	for _, test := range []struct {
		query string
		code  int
		body  []byte
	}{
		{"off=0&n=1", 200, data[:1]},
		{"off=12345&n=50000", 200, data[12345:62345]},
		{"off=99999&n=1", 200, data[99999:]},
		{"off=99999&n=2", 400, []byte("n is \"2\"; want a number of bytes from 1 to 1\n")},
		{"off=100000&n=1", 400, []byte("n is \"1\"; want a number of bytes from 1 to 0\n")},
		{"off=100001&n=1", 400, []byte("off is \"100001\"; want an offset from 0 to 100000\n")},
		{"off=-1&n=1", 400, []byte("off is \"-1\"; want an offset from 0 to 100000\n")},
		{"off=0&n=50001", 400, []byte("n is \"50001\"; want a number of bytes from 1 to 50000\n")},
		{"off=0&n=x", 400, []byte("n is \"x\"; want a number of bytes from 1 to 50000\n")},
		{"", 400, []byte("off is \"\"; want an offset from 0 to 100000\n")},
	} {
		resp, err := http.Get(url + "?" + test.query)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != test.code || !bytes.Equal(body, test.body) {
			t.Errorf("?%s = %d, %.60q, %v; want %d, %.60q", test.query, resp.StatusCode, body, err, test.code, test.body)
		}
	}
	if runtime.GOOS == "windows" {
		return // no process can interrupt another
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after an interrupt: %v; want exit status 0", err)
	}
}

func TestSynclog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	found := func(args ...string) (n int) {
		t.Helper()
		var shared int
		out := run(t, "synclog", append(args, name)...)
		if _, err := fmt.Sscanf(out, "found %d records; %d Syncs", &n, &shared); err != nil {
			t.Fatalf("synclog %q prints %q: %v", args, out, err)
		}
		return n
	}
	if n := found("-records", "200", "-goroutines", "16"); n != 0 {
		t.Fatalf("a new log has %d records", n)
	}
	whole := contents(t, name)
	if len(whole) != 200*108 {
		t.Fatalf("a log of 200 records of 100 bytes has %d bytes", len(whole))
	}
	damaged := bytes.Clone(whole[:108])
	damaged[50] ^= 1
	for _, tail := range [][]byte{nil, {0}, whole[:7], whole[:8], whole[:107], damaged, make([]byte, 300), bytes.Repeat([]byte{255}, 300)} {
		write(t, name, append(bytes.Clone(whole), tail...))
		if n := found("-records", "3"); n != 200 {
			t.Errorf("a log of 200 records and %.10q has %d", tail, n)
		}
		if n := found("-records", "0"); n != 203 {
			t.Errorf("after 3 more it has %d", n)
		}
	}
}

func TestTreesum(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for i, size := range []int{0, 1, 4095, 4096, 4097, 100_000, 2 << 20} {
		name := filepath.Join(root, "a", "b", fmt.Sprint(i))
		if i%2 == 0 {
			name = filepath.Join(root, fmt.Sprint("x", i))
		}
		write(t, name, noise(size))
	}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if d.Type().IsRegular() {
			fmt.Fprintf(&want, "%x  %s\n", sha256.Sum256(contents(t, name)), name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{root}, {"-files", "1", root}, {"-files", "3", "-buffer", "4", root}, {"-buffer", "1000", root}} {
		if got := run(t, "treesum", args...); got != want.String() {
			t.Errorf("treesum %q prints\n%s\nwant\n%s", args, got, &want)
		}
	}
}

func TestIndexread(t *testing.T) {
	name := filepath.Join(t.TempDir(), "table")
	run(t, "indexread", "-create", "1000", "-size", "600", name)
	var records, size int
	for i := 0; i < 1000; i += 7 {
		records, size = records+1, size+300+i%601
	}
	want := fmt.Sprintf("read %d records, %d bytes\n", records, size)
	for _, depth := range []string{"1", "64"} {
		if got := run(t, "indexread", "-every", "7", "-depth", depth, name); got != want {
			t.Errorf("indexread -every 7 prints %q; want %q", got, want)
		}
	}
	data := contents(t, name)
	data[300+301+301] ^= 1 // the third record begins there, or before
	write(t, name, data)
	fails(t, 1, "record 2, 302 bytes at 601 of "+name+": its checksum is wrong", "indexread", name)
	index := contents(t, name+".index")
	write(t, name+".index", index[:len(index)-1])
	fails(t, 1, "no whole number of entries", "indexread", name)
	for _, wrong := range []byte{0x7f, 0x80} { // an offset, and a length, that no file has
		write(t, name+".index", bytes.Repeat([]byte{wrong}, 16))
		fails(t, 1, "record 0: ", "indexread", name)
	}
	write(t, name+".index", index)
	write(t, name, data[:601])
	fails(t, 1, "record 2: EOF", "indexread", name)
	fails(t, 1, "Depth", "indexread", "-depth", "-1", name)
}

func TestCompaction(t *testing.T) {
	dir := t.TempDir()
	out := run(t, "compaction", "-records", "10001", dir)
	if want := "compacted 10001 records to 5001, after "; !strings.HasPrefix(out, want) {
		t.Errorf("compaction prints %q; want %q …", out, want)
	}
	fails(t, 1, `compaction: sluice: class "compaction": ClassOptions.Weight`, "compaction", "-weight", "10001", dir)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it has left %v, %v", left, err)
	}
}

func TestDiskcopy(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int{0, 1, 4096, 3<<20 + 5} {
		from, to := filepath.Join(dir, "from"), filepath.Join(dir, fmt.Sprint("to", size))
		write(t, from, noise(size))
		out := run(t, "diskcopy", "-buffer", "64", "-ahead", "3", from, to)
		if want := fmt.Sprintf("copied %d bytes in ", size); !strings.HasPrefix(out, want) {
			t.Errorf("diskcopy prints %q; want %q …", out, want)
		}
		if !bytes.Equal(contents(t, to), noise(size)) {
			t.Errorf("the copy of %d bytes is wrong", size)
		}
		write(t, from, []byte("something else"))
		fails(t, 1, "diskcopy: open "+to, "diskcopy", from, to)
		if !bytes.Equal(contents(t, to), noise(size)) {
			t.Errorf("the refused copy has changed the existing file of %d bytes", size)
		}
	}
	to := filepath.Join(dir, "to")
	fails(t, 1, "BufferSize", "diskcopy", "-buffer", "-1", filepath.Join(dir, "from"), to)
	if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after an error there is a copy: %v", err)
	}
}

package sluice_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sluicetest"
)

// TestStartNeedsLittle: a program that opens and reads one file does not read files of /proc and
// /sys to find out what the machine has. That takes longer than its own read.
func TestStartNeedsLittle(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), make([]byte, startSize), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, ok := sluicetest.Child(t, "start", sluicetest.DirEnv+"="+dir); !ok || out != "" {
		t.Errorf("%s", out)
	}
}

const startSize = 4096

func init() { sluicetest.Children["start"] = startChild }

func startChild() error {
	before, err := charactersRead()
	if err != nil {
		return err
	}
	f, err := sluice.Open(filepath.Join(os.Getenv(sluicetest.DirEnv), "file"))
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.ReadAt(make([]byte, startSize), 0); err != nil {
		return err
	}
	after, err := charactersRead()
	// Now and then the runtime of Go itself reads the limits of its control group.
	const runtimeReads = 200
	if n := after - before - startSize; err == nil && n > runtimeReads {
		fmt.Printf("%d bytes of other files were read\n", n)
	}
	return err
}

// charactersRead returns how many bytes this process has read, files of /proc and /sys included.
// What it reads for that counts the next time.
func charactersRead() (n int, err error) {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(text), "rchar: ")
	line, _, _ := strings.Cut(after, "\n")
	n, err = strconv.Atoi(line)
	return n + len(text), err
}

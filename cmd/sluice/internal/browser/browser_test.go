package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/test/skip"
)

func TestDisplay(t *testing.T) {
	for _, test := range []struct {
		goos, variable string
		want           bool
	}{
		{"linux", "", false},
		{"linux", "DISPLAY", true},
		{"freebsd", "WAYLAND_DISPLAY", true},
		{"darwin", "", true},
		{"windows", "", true},
	} {
		got := display(test.goos, func(name string) string {
			if name == test.variable {
				return ":0"
			}
			return ""
		})
		if got != test.want {
			t.Errorf("display on %s with %q set = %v; want %v", test.goos, test.variable, got, test.want)
		}
	}
}

func TestCommand(t *testing.T) {
	for goos, want := range map[string][]string{
		"linux":   {"xdg-open", "page"},
		"openbsd": {"xdg-open", "page"},
		"darwin":  {"open", "page"},
		"windows": {"rundll32", "url.dll,FileProtocolHandler", "page"},
	} {
		if got := command(goos, "page"); !slices.Equal(got, want) {
			t.Errorf("command on %s = %q; want %q", goos, got, want)
		}
	}
}

// TestOpen opens a page with an xdg-open that writes its argument to a file.
func TestOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		skip.For(t, skip.Platform, "the opener elsewhere is part of the system")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if err := Open("page"); err == nil {
		t.Error("Open without an opener = nil; want an error")
	}
	sh, err := exec.LookPath("/bin/sh")
	if err != nil {
		skip.For(t, skip.Shell, err)
	}
	noted := filepath.Join(dir, "noted")
	script := "#!" + sh + "\necho \"$1\" >" + noted + ".new\n/bin/mv " + noted + ".new " + noted + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Open("page"); err != nil {
		t.Fatal(err)
	}
	want, err := filepath.Abs("page")
	if err != nil {
		t.Fatal(err)
	}
	for t.Context().Err() == nil { // until the test's own deadline
		if got, err := os.ReadFile(noted); err == nil {
			if string(got) != want+"\n" {
				t.Errorf("opened %q; want %q", got, want)
			}
			return
		}
		time.Sleep(time.Millisecond)
	}
}

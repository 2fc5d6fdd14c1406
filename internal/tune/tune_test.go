package tune

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var disk = Device{Name: "nvme7n1", Bytes: 1 << 40}

func TestSaveLoad(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir()) // for systems other than Linux
	t.Setenv(Variable, "")
	if _, _, err := Load(disk); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of what was not measured: %v; want ErrNotExist", err)
	}
	want := Measured{Depth: 32, Bytes: 1 << 20, Beside: 128 << 10, Time: time.Unix(1e9, 0).UTC()}
	path, err := Save(disk, want)
	if err != nil {
		t.Fatal(err)
	}
	want.Version, want.Device, want.Size = version, disk.Name, disk.Bytes
	if got, from, err := Load(disk); got != want || from != path || err != nil {
		t.Errorf("Load = %+v of %s, %v; want %+v of %s", got, from, err, want, path)
	}
	other := Device{disk.Name, 5}
	if _, _, err := Load(other); err == nil || !strings.Contains(err.Error(), "measured on nvme7n1 of 1099511627776 bytes") {
		t.Errorf("Load of another disk of the name: %v", err)
	}
	t.Setenv(Variable, Off)
	if _, _, err := Load(disk); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load when off: %v", err)
	}
	t.Setenv(Variable, path)
	if got, _, err := Load(other); got != want || err != nil {
		t.Errorf("Load of a file that was named: %+v, %v", got, err)
	}
	t.Setenv(Variable, path+"x")
	if _, _, err := Load(disk); err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path+"x") {
		t.Errorf("Load of a named file that is not there: %v", err)
	}
}

func TestBroken(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tune.json")
	t.Setenv(Variable, path)
	for text, want := range map[string]string{
		"":                             "unexpected end",
		"{":                            "unexpected end",
		`{"version":1,"depth":"many"}`: "cannot unmarshal",
		`{"version":2,"depth":4,"bytes":1048576,"beside_bytes":65536}`:      "version 2",
		`{"version":1,"depth":0,"bytes":1048576,"beside_bytes":65536}`:      "depth 0",
		`{"version":1,"depth":99999,"bytes":1048576,"beside_bytes":65536}`:  "depth 99999",
		`{"version":1,"depth":4,"bytes":-1,"beside_bytes":65536}`:           "bytes -1",
		`{"version":1,"depth":4,"bytes":1048576,"beside_bytes":1}`:          "beside_bytes 1",
		`{"version":1,"depth":4,"bytes":1048576,"beside_bytes":9999999999}`: "beside_bytes 9999999999",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Load(disk); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("Load of %q: %v; want %q and the file's name", text, err, want)
		}
	}
	t.Setenv(Variable, dir)
	if _, _, err := Load(disk); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("Load of a directory: %v", err)
	}
}

// TestSaveKeepsWhatIsNoFile checks that Save replaces regular files only, and writes nowhere
// else.
func TestSaveKeepsWhatIsNoFile(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("HOME", home)
	good := Measured{Depth: 32, Bytes: 1 << 20, Beside: 128 << 10}
	for _, name := range []string{"", ".", "..", "../../evil", "a/b", "/etc/x"} {
		if path, err := Save(Device{Name: name}, good); err == nil || !strings.Contains(err.Error(), "is not the name of a disk") {
			t.Errorf("Save of device %q = %q, %v; want that it is not the name of a disk", name, path, err)
		}
		if _, _, err := Load(Device{Name: name}); err == nil || !strings.Contains(err.Error(), "is not the name of a disk") {
			t.Errorf("Load of device %q: %v; want that it is not the name of a disk", name, err)
		}
	}
	if left, err := os.ReadDir(home); len(left) > 0 || err != nil {
		t.Errorf("Save has made %v, %v; want nothing", left, err)
	}
	// The directory stands for a device, which a test must not risk.
	dir := filepath.Join(home, "dir")
	link := filepath.Join(home, "link")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Symlink(dir, link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, link} {
		t.Setenv(Variable, path)
		if _, err := Save(disk, good); !errors.Is(err, errNotRegular) || !strings.Contains(err.Error(), path) {
			t.Errorf("Save in %s = %v; want that it is not a regular file", path, err)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v; want it as before", info, err)
	}
}

// TestSaveThroughLink checks that a link stays, and that Load finds the file by both names.
func TestSaveThroughLink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "real", "t.json"), filepath.Join(dir, "link.json")
	if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("before"), 0o600), os.Symlink(file, link)); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Variable, link)
	good := Measured{Depth: 32, Bytes: 1 << 20, Beside: 128 << 10}
	if err := CheckSave(disk); err != nil {
		t.Errorf("CheckSave = %v", err)
	}
	if path, err := Save(disk, good); path != link || err != nil {
		t.Errorf("Save = %q, %v; want %q", path, err, link)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v; want it as before", info, err)
	}
	for _, path := range []string{link, file} {
		t.Setenv(Variable, path)
		if got, _, err := Load(disk); got.Depth != good.Depth || err != nil {
			t.Errorf("Load of %s = %+v, %v; want what was saved", path, got, err)
		}
	}
	for of, want := range map[string]int{dir: 2, filepath.Dir(file): 1} {
		if left, err := os.ReadDir(of); len(left) != want || err != nil {
			t.Errorf("Save has left %v, %v; want %d files", left, err, want)
		}
	}
}

// TestCheckSave checks that CheckSave returns Save's errors, and changes nothing.
func TestCheckSave(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("HOME", home)
	good := Measured{Depth: 32, Bytes: 1 << 20, Beside: 128 << 10}
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{Off, home, filepath.Join(file, "below"), filepath.Join("/proc", "nosuch", "saved")} {
		t.Setenv(Variable, path)
		err := CheckSave(disk)
		if _, want := Save(disk, good); err == nil || want == nil || fileError(err) != fileError(want) {
			t.Errorf("%s=%s: CheckSave = %v; want the error of Save, %v", Variable, path, err, want)
		}
	}
	for _, path := range []string{file, filepath.Join(home, "new", "file"), ""} {
		t.Setenv(Variable, path)
		if err := CheckSave(disk); err != nil {
			t.Errorf("%s=%s: CheckSave = %v", Variable, path, err)
		}
	}
	if text, err := os.ReadFile(file); string(text) != "before" {
		t.Errorf("the file is %q, %v; want it as before", text, err)
	}
	for _, dir := range []string{filepath.Join(home, "new"), filepath.Join(home, "sluice", "tune")} {
		if left, err := os.ReadDir(dir); len(left) > 0 || runtime.GOOS == "linux" && err != nil {
			t.Errorf("CheckSave has left %v, %v; want an empty directory", left, err)
		}
	}
}

// fileError returns err's message without the file's name, which is random.
func fileError(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Op + ": " + path.Err.Error()
	}
	return err.Error()
}

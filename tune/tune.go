// Package tune keeps what was measured of a device. `sluice tune` writes it, and
// a Scheduler reads it.
//
//	d, err := tune.DeviceOf(f) // the disk that f is on
//	…
//	m, path, err := tune.Load(d)
//
// For each device there is a JSON file in the directory sluice/tune of
// os.UserConfigDir. The environment variable SLUICE_TUNE names another file, for
// all devices; SLUICE_TUNE=off ignores saved results. A file is checked when it
// is read: if it is damaged or has values out of bounds, Load returns an error. So
// it does if a file in that directory is of another disk with the same name; the
// file that SLUICE_TUNE names may be of any disk. A set-user-ID or set-group-ID program, or one
// with capabilities of its file, has no saved results: its user has chosen the environment.
//
// A Scheduler with classes reads the file for the disk of its first file, once, and the file
// for each disk that has a ring of its own whenever a class is added or changed. Without a
// file, or with one that it cannot use, it has a default (sluice.Scheduler.Explain says so).
//
// # Concurrency
//
// All functions may be called by any number of goroutines at once. Save replaces
// a file in one step, so that a Load at the same time reads the old or the new.
package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/sluiceio/sluice/internal/sys"
)

// Variable is the environment variable that names the file to use.
const Variable = "SLUICE_TUNE"

// Off is the value of Variable that makes Load ignore saved results.
const Off = "off"

// Device is the disk below a file system.
type Device struct {
	Name  string // of the whole disk, as in /sys/block
	Bytes int64  // its size in bytes
}

// Measured is what was measured of a device. Save sets Version, Device and Size.
type Measured struct {
	Version int       `json:"version"`    // 1
	Device  string    `json:"device"`     // Device.Name
	Size    int64     `json:"size_bytes"` // Device.Bytes
	Time    time.Time `json:"time"`       // when it was measured

	Depth  int   `json:"depth"`        // the small reads in flight that keep the device busy
	Bytes  int64 `json:"bytes"`        // the bytes in flight that do, by large reads
	Beside int64 `json:"beside_bytes"` // the bytes that it reads in the time of one small read
}

// The bounds of what Save and Load accept: Measured.Depth is 1 to MaxDepth, Bytes is MinBytes
// to MaxBytes, and Beside is BesideUnit to MaxBytes.
const (
	version    = 1
	MaxDepth   = 16384
	MinBytes   = 512 << 10 // 512 KiB
	MaxBytes   = 1 << 30   // 1 GiB
	BesideUnit = 64 << 10  // 64 KiB; "sluice tune" makes Beside a multiple of it
	maxSize    = 1 << 20   // 1 MiB: no more of a file is read
)

// check returns an error if a value is out of bounds.
func (m Measured) check() error {
	switch {
	case m.Version != version:
		return fmt.Errorf("version %d is not %d; measure again with \"sluice tune\"", m.Version, version)
	case m.Depth < 1 || m.Depth > MaxDepth:
		return fmt.Errorf("depth %d is not between 1 and %d", m.Depth, MaxDepth)
	case m.Bytes < MinBytes || m.Bytes > MaxBytes:
		return fmt.Errorf("bytes %d is not between %d and %d", m.Bytes, MinBytes, MaxBytes)
	case m.Beside < BesideUnit || m.Beside > MaxBytes:
		return fmt.Errorf("beside_bytes %d is not between %d and %d", m.Beside, BesideUnit, MaxBytes)
	}
	return nil
}

// of returns an error if m is not of device d.
func (m Measured) of(d Device) error {
	if m.Device != d.Name || m.Size != d.Bytes {
		return fmt.Errorf("measured on %s of %d bytes; this is %s of %d", m.Device, m.Size, d.Name, d.Bytes)
	}
	return nil
}

// errNotRegular is the error of a directory, a device, a FIFO.
var errNotRegular = errors.New("not a regular file")

// errSecure is the error of a program that must not believe its environment.
var errSecure = errors.New("the environment of a set-user-ID or set-group-ID program must not name the file")

// Path returns the name of the file of d. named reports whether it comes from
// the environment. In a set-user-ID or set-group-ID program there is an error. So there is for a
// Device whose name is none of a disk, as it would be a path to another directory.
func Path(d Device) (path string, named bool, err error) {
	if sys.SecureMode() {
		return "", false, errSecure
	}
	if name := os.Getenv(Variable); name != "" {
		return name, true, nil
	}
	if d.Name == "." || !filepath.IsLocal(d.Name) || filepath.Base(d.Name) != d.Name {
		return "", false, fmt.Errorf("device %q is none of a disk (take it from DeviceOf or DeviceAt)", d.Name)
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", false, err
	}
	return filepath.Join(dir, "sluice", "tune", d.Name+".json"), false, nil
}

// Load returns what was measured of d, and the name of its file. If nothing was
// measured, or SLUICE_TUNE is off, the error is fs.ErrNotExist. It is another error
// if the file that SLUICE_TUNE names does not exist. Errors of the file name it.
func Load(d Device) (Measured, string, error) {
	path, named, err := Path(d)
	if err != nil {
		return Measured{}, "", errors.Join(os.ErrNotExist, err) // without a directory there is no file
	}
	if path == Off {
		return Measured{}, Variable + "=" + Off, os.ErrNotExist
	}
	m, err := read(path)
	if err == nil && !named {
		err = m.of(d)
	}
	switch {
	case errors.Is(err, os.ErrNotExist) && named: // the user relies on this file
		return Measured{}, path, fmt.Errorf("%s=%s: there is no such file", Variable, path)
	case errors.Is(err, os.ErrNotExist):
		return Measured{}, path, err
	case err != nil:
		return Measured{}, path, fmt.Errorf("%s: %w", path, err)
	}
	return m, path, nil
}

func read(path string) (m Measured, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return m, err
	}
	if !info.Mode().IsRegular() { // to open a FIFO would wait for a writer
		return m, errNotRegular
	}
	f, err := os.Open(path)
	if err != nil {
		return m, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSize))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, err
	}
	return m, m.check()
}

// Save writes m, as what was measured of d, where Load finds it. It returns the
// name of the file. It makes the directory if there is none, and replaces the file. If
// the name is a symbolic link to a file, the link stays and that file is replaced. If m is out of
// bounds, SLUICE_TUNE is off, or what it names is no regular file, nothing is written and there is
// an error.
func Save(d Device, m Measured) (string, error) {
	m.Version, m.Device, m.Size = version, d.Name, d.Bytes
	if err := m.check(); err != nil {
		return "", err
	}
	path, target, err := destination(d)
	if err != nil {
		return "", err
	}
	temporary, err := write(target, m)
	if err != nil {
		return "", err
	}
	if err := os.Rename(temporary, target); err != nil {
		return path, errors.Join(err, os.Remove(temporary))
	}
	return path, nil
}

// CheckSave returns the error that Save would return for a device, as far as it can be known
// before the device is measured. It makes the directory if there is none, and writes a file there,
// which it removes. What was saved before stays.
func CheckSave(d Device) error {
	_, target, err := destination(d)
	if err != nil {
		return err
	}
	temporary, err := write(target, Measured{Device: d.Name})
	if err != nil {
		return err
	}
	return os.Remove(temporary)
}

// destination returns the name of the file that Load reads for a device, and of the one that Save may
// replace. They differ if the first is a symbolic link: a rename to its name would replace the link,
// and the file that it names would stay as it was.
func destination(d Device) (path, target string, err error) {
	path, _, err = Path(d)
	if err != nil {
		return "", "", err
	}
	if path == Off {
		return "", "", fmt.Errorf("%s is %s (name a file, or unset it)", Variable, Off)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return "", "", fmt.Errorf("%s: %w", path, errNotRegular) // a rename would replace /dev/null
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return path, target, nil
	}
	return path, path, nil
}

// write writes m into a new file beside path, and returns its name. It makes the directory if
// there is none. On failure it leaves no file.
func write(path string, m Measured) (temporary string, err error) {
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".tune-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

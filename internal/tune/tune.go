// Package tune saves and loads the measured properties of a disk. The command "sluice tune"
// measures and saves; a Scheduler with classes loads, and so does sluice.Scheduler.Explain.
//
//	d, err := tune.DeviceOf(f) // the disk of f
//	…
//	m, path, err := tune.Load(d)
//
// Each disk has a JSON file:
//
//	SLUICE_TUNE not set    sluice/tune/DISK.json in os.UserConfigDir
//	SLUICE_TUNE=FILE       FILE, for all disks
//	SLUICE_TUNE=off        none
//	a set-user-ID program  none: the program's user has chosen its environment
//
// Load checks the file. It refuses a damaged file, and values out of bounds. It refuses a file of
// os.UserConfigDir that belongs to another disk of the same name. FILE may belong to any disk.
//
// # Concurrency
//
// Any number of goroutines may call all functions at once. Save replaces the file in one step: a
// concurrent Load reads the old file or the new one.
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

// Variable is the environment variable that names the file.
const Variable = "SLUICE_TUNE"

// Off is the value of Variable with which Load finds no file.
const Off = "off"

// Device is the disk below a file system.
type Device struct {
	Name  string // of the whole disk, as in /sys/block
	Bytes int64  // its size in bytes
}

// Measured has the measured properties of a disk. Save sets Version, Device and Size.
type Measured struct {
	Version int       `json:"version"`    // 1
	Device  string    `json:"device"`     // Device.Name
	Size    int64     `json:"size_bytes"` // Device.Bytes
	Time    time.Time `json:"time"`       // when the disk was measured

	Depth  int   `json:"depth"`        // how many small reads in flight keep the disk busy
	Bytes  int64 `json:"bytes"`        // how many bytes of large reads in flight keep it busy
	Beside int64 `json:"beside_bytes"` // bytes that the disk reads in the time of one small read
}

// Bounds of a Measured. Depth is 1 to MaxDepth, Bytes is MinBytes to MaxBytes, and Beside is
// BesideUnit to MaxBytes.
const (
	version    = 1
	MaxDepth   = 16384
	MinBytes   = 512 << 10 // 512 KiB
	MaxBytes   = 1 << 30   // 1 GiB
	BesideUnit = 64 << 10  // 64 KiB; "sluice tune" saves a multiple of it as Beside
	maxSize    = 1 << 20   // 1 MiB; read reads no more of a file
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

// errNotRegular is the error for a directory, a device or a FIFO.
var errNotRegular = errors.New("not a regular file")

// errSecure is the error of a program that must not trust its environment.
var errSecure = errors.New("the environment of a set-user-ID or set-group-ID program must not name the file")

// Path returns the name of d's file. named reports whether SLUICE_TUNE names it. Path returns an
// error in a set-user-ID or set-group-ID program. It also does so for a d.Name that is no single
// element of a path, which would lead to another directory.
func Path(d Device) (path string, named bool, err error) {
	if sys.SecureMode() {
		return "", false, errSecure
	}
	if name := os.Getenv(Variable); name != "" {
		return name, true, nil
	}
	if d.Name == "." || !filepath.IsLocal(d.Name) || filepath.Base(d.Name) != d.Name {
		return "", false, fmt.Errorf("%q is not the name of a disk (want one as in /sys/block, such as nvme0n1)", d.Name)
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", false, err
	}
	return filepath.Join(dir, "sluice", "tune", d.Name+".json"), false, nil
}

// Load returns the measured properties of d, and the name of its file.
//
//	nothing was saved, or SLUICE_TUNE=off    fs.ErrNotExist
//	SLUICE_TUNE names a file that is missing another error
//	the file is damaged, or of another disk  an error that names the file
func Load(d Device) (Measured, string, error) {
	path, named, err := Path(d)
	if err != nil {
		// Without a directory there is no file.
		return Measured{}, "", errors.Join(os.ErrNotExist, err)
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
	if !info.Mode().IsRegular() { // opening a FIFO would wait for a writer
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

// Save writes m to d's file, and returns the file's name. It makes the directory if there is none.
// If the name is a symbolic link to a file, Save replaces that file and leaves the link. It writes
// nothing, and returns an error, if m is out of bounds, if SLUICE_TUNE is off, or if SLUICE_TUNE
// names something other than a regular file.
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

// CheckSave returns the error that Save would return for d, so that nobody measures a disk for
// nothing. It makes the directory if there is none, and writes and removes a file there. The file
// of an earlier Save stays.
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

// destination returns the name that Load opens for d, and the name to which Save renames its file.
// They differ if path is a symbolic link: a rename to path would replace the link, and leave its
// file unchanged.
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

// write writes m to a new file in path's directory, and returns the file's name. It makes the
// directory if there is none. After an error no file is left.
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

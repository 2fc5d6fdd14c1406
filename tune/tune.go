// Package tune keeps what was measured of a device, which `sluice tune` writes
// and a Scheduler reads.
//
// It is a file of JSON for each device, in the directory sluice/tune of
// os.UserConfigDir; SLUICE_TUNE names another file, for whatever device, or is
// "off". What is in it is checked: a file that is broken, out of bounds, or of
// another disk of the same name, is an error.
package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Variable is the environment variable that names a file.
const Variable = "SLUICE_TUNE"

// Off is its value that has no file used.
const Off = "off"

// Device names what is below a file system.
type Device struct {
	Name  string // as in /sys/block, of the whole disk
	Bytes int64  // how large it is
}

// Measured is what was measured.
type Measured struct {
	Version int       `json:"version"` // 1
	Device  string    `json:"device"`
	Size    int64     `json:"size_bytes"` // of the device
	Time    time.Time `json:"time"`

	// Depth is how many small reads at once keep the device busy, and Bytes how
	// much in flight does, by large ones. Beside is how much it reads in the time
	// of one small read.
	Depth  int   `json:"depth"`
	Bytes  int64 `json:"bytes"`
	Beside int64 `json:"beside_bytes"`
}

// The bounds of what can be used.
const (
	version    = 1
	DepthMost  = 16384
	BytesLeast = 512 << 10 // 512 KiB
	BytesMost  = 1 << 30   // 1 GiB
	BesideUnit = 64 << 10  // 64 KiB; Beside is a multiple of it
	sizeMost   = 1 << 20   // of the file
)

// check says what is out of bounds.
func (m Measured) check() error {
	switch {
	case m.Version != version:
		return fmt.Errorf("version %d is not %d", m.Version, version)
	case m.Depth < 1 || m.Depth > DepthMost:
		return fmt.Errorf("depth %d is not between 1 and %d", m.Depth, DepthMost)
	case m.Bytes < BytesLeast || m.Bytes > BytesMost:
		return fmt.Errorf("bytes %d is not between %d and %d", m.Bytes, BytesLeast, BytesMost)
	case m.Beside < BesideUnit || m.Beside > BytesMost:
		return fmt.Errorf("beside_bytes %d is not between %d and %d", m.Beside, BesideUnit, BytesMost)
	}
	return nil
}

// of says whether m is of another device than d.
func (m Measured) of(d Device) error {
	if m.Device != d.Name || m.Size != d.Bytes {
		return fmt.Errorf("measured on %s of %d bytes; this is %s of %d", m.Device, m.Size, d.Name, d.Bytes)
	}
	return nil
}

// Path is the file of d, and whether the environment names it.
func Path(d Device) (path string, named bool, err error) {
	if name := os.Getenv(Variable); name != "" {
		return name, true, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", false, err
	}
	return filepath.Join(dir, "sluice", "tune", d.Name+".json"), false, nil
}

// Load reads what was measured of d. An error that is fs.ErrNotExist is that
// nothing was, or that SLUICE_TUNE is off; all say which file is meant.
func Load(d Device) (Measured, string, error) {
	path, named, err := Path(d)
	if err != nil {
		return Measured{}, "", errors.Join(os.ErrNotExist, err) // no place, no file
	}
	if path == Off {
		return Measured{}, Variable + "=" + Off, os.ErrNotExist
	}
	m, err := read(path)
	if err == nil && !named {
		err = m.of(d)
	}
	switch {
	case errors.Is(err, os.ErrNotExist) && named: // who names one means it
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
	if !info.Mode().IsRegular() { // which would have to be waited for
		return m, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return m, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, sizeMost))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, err
	}
	return m, m.check()
}

// Save writes what was measured of d where Load finds it, and returns the file's
// name.
func Save(d Device, m Measured) (string, error) {
	m.Version, m.Device, m.Size = version, d.Name, d.Bytes
	if err := m.check(); err != nil {
		return "", err
	}
	path, _, err := Path(d)
	if err != nil {
		return "", err
	}
	if path == Off {
		return "", fmt.Errorf("%s is %s", Variable, Off)
	}
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", err
	}
	return path, replace(path, append(text, '\n'))
}

// replace makes path a file of that text, at once.
func replace(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tune-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

package tune_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/internal/tune"
)

// Save writes what "sluice tune" has measured. Load returns it to a Scheduler with classes.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	// Without the variable the file would be in the user's configuration.
	if err := os.Setenv(tune.Variable, filepath.Join(dir, "vda.json")); err != nil {
		log.Fatal(err)
	}
	defer os.Unsetenv(tune.Variable)

	disk := tune.Device{Name: "vda", Bytes: 100e9} // the disk of a file: tune.DeviceOf
	if _, err := tune.Save(disk, tune.Measured{Depth: 64, Bytes: 4 << 20, Beside: 128 << 10}); err != nil {
		log.Fatal(err)
	}
	m, path, err := tune.Load(disk)
	fmt.Println(m.Depth, m.Bytes, m.Beside, filepath.Base(path), err)
	// Output: 64 4194304 131072 vda.json <nil>
}

package transparent_test

import (
	"fmt"
	"os"

	_ "github.com/sluiceio/sluice/transparent" // sluice build adds this import
)

// A program is written with package os. Built with `sluice build`, its reads go through sluice.
// Built with `go build`, as here, nothing changes.
func Example() {
	f, err := os.Open("testdata/hello")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	b := make([]byte, 4)
	n, err := f.ReadAt(b, 7)
	fmt.Println(string(b[:n]), err)
	// Output: disk <nil>
}

package mapped_test

import (
	"fmt"
	"log"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/mapped"
)

// A look-up in a mapped file: Load makes its bytes resident first.
func ExampleMapping_Load() {
	f, err := sluice.Open("testdata/words")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	m, err := mapped.Map(f, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	record, err := m.Load(3*5, 5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", record)
	// Output: three
}

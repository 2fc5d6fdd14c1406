package direct_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/sluicetest"
)

func ExampleFile_ReadMany() {
	name, remove := sluicetest.ExampleFile("zero one  two  threefour five ")
	defer remove()

	f, err := direct.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	words := []direct.Range{{Off: 25, Len: 4}, {Off: 5, Len: 3}, {Off: 15, Len: 5}, {Off: 30, Len: 5}}
	for r, err := range f.ReadMany(context.Background(), slices.Values(words), direct.ReadManyOptions{}) {
		if err != nil {
			fmt.Println(r.Off, err) // of this range; the others go on
			continue
		}
		fmt.Printf("%d %s\n", r.Off, r.Buffer.Bytes())
		r.Buffer.Release()
	}
	// Output:
	// 25 five
	// 5 one
	// 15 three
	// 30 EOF
}

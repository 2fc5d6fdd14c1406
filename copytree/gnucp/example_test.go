package gnucp_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/copytree/gnucp"
)

// A program that takes cp's arguments. Here it copies one file, and then one that does not exist.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "cp")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	if err := os.WriteFile(from, []byte("Hello, disk."), 0o600); err != nil {
		log.Fatal(err)
	}
	for _, args := range [][]string{{"-p", from, to}, {filepath.Join(dir, "none"), to}} {
		status := gnucp.Run(context.Background(), gnucp.Command{
			Args: args, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: "mycp v1",
		})
		fmt.Println("status", status)
	}
	b, err := os.ReadFile(to)
	fmt.Printf("%s %v\n", b, err)
	// Output:
	// status 0
	// status 1
	// Hello, disk. <nil>
}

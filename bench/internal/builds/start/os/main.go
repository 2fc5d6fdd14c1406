// Command os opens the file that its argument names, reads the first bytes of it, and closes it,
// by package os. `sluice bench` measures how long that takes, from the start of the process to its
// end, beside the same program by package sluice.
package main

import "os"

func main() {
	if err := read(os.Args[1]); err != nil {
		println(err.Error())
		os.Exit(1)
	}
	if len(os.Args) > 2 { // asks for the memory that this takes
		status, _ := os.ReadFile("/proc/self/status") // only Linux has it
		_, _ = os.Stdout.Write(status)
	}
}

func read(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	if _, err := f.Read(make([]byte, 4096)); err != nil {
		return err
	}
	return f.Close()
}

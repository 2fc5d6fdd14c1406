package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const file = `uring	io_uring	batch	TestB	no ring
short	not with -short	sched	TestLong	it takes a minute
uring	io_uring	batch	TestA/one	no ring
uring	io_uring	batch	TestA/two	no ring
uring	io_uring	batch	TestA/two	no ring
uring	io_uring	batch	TestC	no ring
uring	io_uring	batch	TestD	no ring
uring	io_uring	batch	TestE/sub	open "/tmp/TestE_sub2791/001/file": another
`

const want = `7 skips.
REASON  TESTS  PACKAGE  WHICH                           WHY
short   1                                               not with -short
        1      sched    TestLong                        it takes a minute
uring   6                                               io_uring
        5      batch    TestA, TestB, TestC and 1 more  no ring
        1      batch    TestE/sub                       open "…/file": another
`

func TestRun(t *testing.T) {
	name := filepath.Join(t.TempDir(), "skips")
	for _, c := range []struct{ text, want string }{{file, want}, {"", "No test was skipped.\n"}} {
		if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		if err := run([]string{name}, &got); err != nil || got.String() != c.want {
			t.Errorf("run prints %v\n%s; want\n%s", err, got.String(), c.want)
		}
	}
	if err := os.WriteFile(name, []byte("half a line\tof it\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{name}, new(strings.Builder)); err == nil {
		t.Error("run of a damaged file = nil; want an error")
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

var (
	named = flag.String("kernels.name", "", "the kernel of TestKernel; without one it does not run")
	debs  = flag.String("kernels.debs", ".bin/kernels", "the directory of the packages, from the root of the source")
)

// TestKernel runs the tests on one kernel, for the command torture.
func TestKernel(t *testing.T) {
	if *named == "" {
		skip.For(t, skip.Flag, "a virtual machine takes half an hour; -kernels.name=6.1 starts one")
	}
	o, err := parseArgs([]string{"-debs", *debs, *named})
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../..")
	r, err := run(t.Context(), *named, o)
	if errors.As(err, new(missing)) {
		skip.For(t, skip.QEMU, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	r.print(&text)
	t.Log(text.String())
	passed, failed, _ := r.total()
	if failed > 0 || r.err != nil {
		t.Errorf("%d tests have failed, %v", failed, r.err)
	}
	t.Logf("figure: %d tests", passed)
}

// TestParse checks that results are counted with subtests, whatever a test prints between them.
func TestParse(t *testing.T) {
	job := "\n##begin a\n\x16=== RUN   TestA\n\x16=== RUN   TestA/x\n    a_test.go:1: no ring\n\x16--- SKIP: TestA/x (0.00s)\n" +
		"no newline\x16--- PASS: TestA (0.00s)\n\x16--- PASS: TestB (0.00s)\n    \x16--- FAIL: TestC/y (0.00s)\r\n\x16--- FAIL: TestC (0.00s)\nFAIL\n\n" +
		"##end {\"Name\":\"a\",\"Status\":1,\"Seconds\":2.5}\n"
	good := "\n##begin b\n\x16--- PASS: TestB (0.00s)\nPASS\n\n##end {\"Name\":\"b\",\"Status\":0}\n"
	all, err := parse(job + good + "##ready\n")
	if err != nil || len(all) != 2 {
		t.Fatalf("parse = %d results, %v", len(all), err)
	}
	a, b := all[0], all[1]
	if a.passed != 2 || a.failed != 2 || a.skipped != 1 || a.ok() || a.Seconds != 2.5 || a.reasons["no ring"] != 1 {
		t.Errorf("the first package has %+v", a)
	}
	if !slices.Equal(a.wrong, []string{"TestC/y", "TestC"}) {
		t.Errorf("failed: %q", a.wrong)
	}
	if b.passed != 1 || !b.ok() {
		t.Errorf("the second package has %+v", b)
	}
	for _, c := range []struct{ text, want string }{
		{job + good, "stopped after 2 programs"},
		{job + "##begin b\n\x16--- PASS: TestB (0.00s)\n", "stopped in b"},
		{"", "stopped after 0 programs"},
	} {
		if _, err := parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("parse of %d bytes = %v; want: %s", len(c.text), err, c.want)
		}
	}
}

// TestReport checks that a package whose process ends without a verdict counts as one failure, and
// that similar reasons count as one.
func TestReport(t *testing.T) {
	text := "\n##begin a\npanic: x\n\n##end {\"Name\":\"a\",\"Status\":2,\"Error\":\"exit status 2\"}\n\n##begin b\n" +
		"    b_test.go:7: no /tmp/Test123/001 here\n--- SKIP: TestA (0.00s)\n    b_test.go:7: no /tmp/Test456/001 here\n--- SKIP: TestB (0.00s)\n\n##end {\"Name\":\"b\",\"Status\":0}\n##ready\n"
	all, err := parse(text)
	r := report{system: "Linux 1", results: all, err: err}
	if passed, failed, skipped := r.total(); err != nil || passed != 0 || failed != 1 || skipped != 2 {
		t.Errorf("total = %d, %d, %d, %v; want 0, 1, 2", passed, failed, skipped, err)
	}
	var b strings.Builder
	r.print(&b)
	for _, want := range []string{"failed as a whole: status 2", "all: 0 passed, 1 failed, 2 skipped\n", "    2 skipped: no … here\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &b)
		}
	}
}

// TestArchive reads an archive as the kernel does.
func TestArchive(t *testing.T) {
	var b bytes.Buffer
	a := newArchive(&b)
	files := map[string]string{"/init": "one", "/modules/deep/x.ko": "", "/modules/y": "12345"}
	for _, name := range []string{"/init", "/modules/deep/x.ko", "/modules/y"} {
		a.add(name, 0o755, []byte(files[name]))
	}
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for rest := b.Bytes(); ; {
		if string(rest[:6]) != "070701" {
			t.Fatalf("an entry begins with %q", rest[:6])
		}
		field := func(i int) int {
			n, err := strconv.ParseUint(string(rest[6+8*i:14+8*i]), 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			return int(n)
		}
		name := string(rest[110 : 110+field(11)-1])
		from := (110 + field(11) + 3) &^ 3
		if name == "TRAILER!!!" {
			break
		}
		names = append(names, fmt.Sprintf("%s %o", name, field(1)))
		if text := string(rest[from : from+field(6)]); text != files["/"+name] {
			t.Errorf("%s has %q; want %q", name, text, files["/"+name])
		}
		rest = rest[(from+field(6)+3)&^3:]
	}
	want := []string{"init 100755", "modules 40755", "modules/deep 40755", "modules/deep/x.ko 100755", "modules/y 100755"}
	if !slices.Equal(names, want) {
		t.Errorf("the archive has %q; want %q", names, want)
	}
}

// TestModules checks that a module comes once, after the modules that it needs.
func TestModules(t *testing.T) {
	dir := t.TempDir()
	k := &kernel{release: "1", modules: make(map[string]string), builtin: map[string]bool{"crc": true}}
	for name, depends := range map[string]string{"xfs": "fscrypto,libcrc32c", "libcrc32c": "crc", "fscrypto": "", "virtio_blk": "libcrc32c", "bad": "gone"} {
		file := filepath.Join(dir, name+".ko")
		if err := os.WriteFile(file, moduleFile(depends), 0o600); err != nil {
			t.Fatal(err)
		}
		k.modules[name] = file
	}
	all, err := k.load(context.Background(), "virtio-blk", "xfs", "crc")
	var names []string
	for _, m := range all {
		names = append(names, m.name)
	}
	if want := []string{"libcrc32c", "virtio_blk", "fscrypto", "xfs"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("load = %q, %v; want %q", names, err, want)
	}
	if _, err := k.load(context.Background(), "bad"); err == nil || !strings.Contains(err.Error(), "no module gone") {
		t.Errorf("load of a module that needs another which is not there = %v", err)
	}
}

// moduleFile returns an ELF file with only the section .modinfo.
func moduleFile(depends string) []byte {
	info := "license=GPL\x00depends=" + depends + "\x00"
	names := "\x00.modinfo\x00.shstrtab\x00"
	at := uint64(64)
	var b bytes.Buffer
	b.WriteString("\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9))
	sections := at + uint64(len(info)+len(names))
	binary.Write(&b, binary.LittleEndian, struct {
		Type, Machine                 uint16
		Version                       uint32
		Entry, Phoff, Shoff           uint64
		Flags                         uint32
		Size, Ph, PhN, Sh, ShN, Names uint16
	}{Type: 1, Machine: 62, Version: 1, Shoff: sections, Size: 64, Sh: 64, ShN: 3, Names: 2})
	b.WriteString(info + names)
	type section struct {
		Name, Type             uint32
		Flags, Addr, Off, Size uint64
		Link, Info             uint32
		Align, EntrySize       uint64
	}
	binary.Write(&b, binary.LittleEndian, []section{
		{},
		{Name: 1, Type: 1, Off: at, Size: uint64(len(info))},
		{Name: 10, Type: 3, Off: at + uint64(len(info)), Size: uint64(len(names))},
	})
	return b.Bytes()
}

// TestMissing checks that a missing requirement is reported in one line, with the command that
// installs it.
func TestMissing(t *testing.T) {
	_, err := unpack(context.Background(), t.TempDir(), "5.10", "amd64", t.TempDir())
	if !errors.As(err, new(missing)) || !strings.Contains(err.Error(), "apt-get download") || strings.Contains(err.Error(), "\n") {
		t.Errorf("unpack without a package = %v", err)
	}
	err = command(context.Background(), "", "some-package", "no-such-program-"+t.Name())
	if !errors.As(err, new(missing)) || !strings.Contains(err.Error(), "apt-get install some-package") {
		t.Errorf("command that is not there = %v", err)
	}
}

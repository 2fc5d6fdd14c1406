package gnucp

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// asker asks before files are overwritten (-i). The engine asks one question at a time.
type asker struct {
	in     *bufio.Reader
	screen *screen
	// replaces reports whether a file that cannot be opened for writing is removed (-f).
	replaces bool
	declined bool // an answer was no: GNU cp 9.2 and later then exit with 1
}

func newAsker(in io.Reader, s *screen, replaces bool) *asker {
	return &asker{in: bufio.NewReader(in), screen: s, replaces: replaces}
}

// ask asks whether to overwrite dst, and reports whether the answer was yes.
func (a *asker) ask(dst string) bool {
	a.screen.prompt("sluice cp: " + a.question(dst))
	defer a.screen.answered()
	answer, err := a.in.ReadString('\n')
	if (err == nil || answer != "") && (answer[0] == 'y' || answer[0] == 'Y') {
		return true
	}
	a.declined = true
	return false
}

func (a *asker) question(dst string) string {
	info, err := os.Stat(dst)
	if err != nil || writable(dst) {
		return "overwrite " + quote(dst) + "? "
	}
	mode := info.Mode()
	if a.replaces {
		return fmt.Sprintf("replace %s, overriding mode %04o (%s)? ", quote(dst), octal(mode), rwx(mode))
	}
	return fmt.Sprintf("unwritable %s (mode %04o, %s); try anyway? ", quote(dst), octal(mode), rwx(mode))
}

// octal returns the twelve bits of chmod(2).
func octal(mode fs.FileMode) uint32 {
	bits := uint32(mode.Perm())
	for flag, bit := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if mode&flag != 0 {
			bits |= bit
		}
	}
	return bits
}

// rwx returns the nine letters that ls shows.
func rwx(mode fs.FileMode) string {
	text := []byte(mode.Perm().String()[1:])
	for _, special := range []struct {
		flag   fs.FileMode
		at     int
		letter byte
	}{{fs.ModeSetuid, 2, 's'}, {fs.ModeSetgid, 5, 's'}, {fs.ModeSticky, 8, 't'}} {
		if mode&special.flag == 0 {
			continue
		}
		letter := special.letter
		if text[special.at] == '-' {
			letter -= 'a' - 'A'
		}
		text[special.at] = letter
	}
	return string(text)
}

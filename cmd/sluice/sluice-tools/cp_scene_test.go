package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// scene is one use of cp, in testdata/cp/*.txt:
//
//	== what the scene shows
//	% as nobody         the user of the scene; root is needed for both
//	% as root
//	% since 9.5         the first version of GNU cp with this behaviour
//	% differs           GNU cp behaves differently; the > lines have the right output
//	mkdir d             the setup: lines for sh
//	$ cp a d            the commands to compare: lines for sh; cp and $CP are either program
//	> cp: …             all output, sorted: stdout, stderr, and the status if it is not 0
type scene struct {
	name       string
	as         string // "", "root" or "nobody"
	since      float64
	differs    bool
	setup, run string
	want       []string
	place      string // the directory to play in; "" for that of temporary files
}

// loadScenes reads all scenes, by the name of their file.
func loadScenes(t *testing.T) map[string][]scene {
	t.Helper()
	files, err := filepath.Glob("testdata/cp/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenes: %v", err)
	}
	all := map[string][]scene{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(name), ".txt")
		for _, block := range strings.Split("\n"+string(text), "\n== ")[1:] {
			all[base] = append(all[base], parseScene(t, name, block))
		}
	}
	return all
}

func parseScene(t *testing.T, file, block string) scene {
	t.Helper()
	lines := strings.Split(strings.TrimRight(block, "\n"), "\n")
	s := scene{name: lines[0]}
	for _, line := range lines[1:] {
		mark, rest, _ := strings.Cut(line, " ")
		switch mark {
		case "%":
			s.setting(t, file, rest)
		case "$":
			s.run += rest + "\necho status $? | grep -v ' 0$'\n"
		case ">":
			s.want = append(s.want, rest)
		case "#", "":
		default:
			s.setup += line + "\n"
		}
	}
	if s.run == "" || s.differs != (s.want != nil) {
		t.Fatalf("%s: scene %q has no run, or > lines without differs", file, s.name)
	}
	return s
}

func (s *scene) setting(t *testing.T, file, text string) {
	t.Helper()
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "as":
		s.as = rest
	case "since":
		since, err := strconv.ParseFloat(rest, 64)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		s.since = since
	case "differs":
		s.differs = true
	default:
		t.Fatalf("%s: unknown setting %q", file, text)
	}
}

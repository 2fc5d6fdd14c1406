package bench

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/bench/experiments"
)

// TestDocument checks that docs/bench.md has each experiment and each flag.
func TestDocument(t *testing.T) {
	page, err := os.ReadFile("../docs/bench.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	_, table, _ := strings.Cut(text, "\n## The experiments\n")
	table, _, _ = strings.Cut(table, "\n## ")
	words := strings.FieldsFunc(table, func(r rune) bool { return strings.ContainsRune(" ,|\n", r) })
	named := make(map[string]bool)
	for _, w := range words {
		named[w] = true
	}
	for _, e := range experiments.All {
		if !named[e.Name] {
			t.Errorf("bench.md has no experiment %s", e.Name)
		}
	}
	for _, g := range experiments.Groups {
		if !named[g.Name] {
			t.Errorf("bench.md has no experiments %s", g.Name)
		}
	}
	command := reflect.TypeFor[Command]()
	for i := range command.NumField() {
		field := command.Field(i)
		if _, ok := field.Tag.Lookup("arg"); ok || field.Tag.Get("kong") == "-" { // no flag
			continue
		}
		if name := flagName(field); !strings.Contains(text, "`--"+name+"`") {
			t.Errorf("bench.md has no flag --%s", name)
		}
	}
}

// flagName returns the name that kong gives to the field's flag.
func flagName(field reflect.StructField) string {
	if name := field.Tag.Get("name"); name != "" {
		return name
	}
	name := ""
	for i, r := range field.Name {
		if i > 0 && 'A' <= r && r <= 'Z' {
			name += "-"
		}
		name += string(r)
	}
	return strings.ToLower(name)
}

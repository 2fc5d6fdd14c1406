package tracepage

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed page/page.html page/style.css page/js/*.js third_party/uplot/*
var files embed.FS

// modules are the modules of the page's own script. Each follows the modules that it
// imports.
var modules = []string{
	"format", "palette", "data", "view", "state", "search", "filters", "tracks", "links", "series",
	"raster", "details", "lanes", "overview", "charts", "scatter", "histogram", "pointer", "keyboard", "main",
}

// assets are the parts of every page.
type assets struct {
	page                   string // page.html; see fill
	script, style, licence string
}

func readAssets() (*assets, error) {
	var err error
	read := func(name string) string {
		text, e := files.ReadFile(name)
		if e != nil && err == nil {
			err = e
		}
		return string(text)
	}
	a := &assets{
		page:    read("page/page.html"),
		style:   read("third_party/uplot/uPlot.min.css") + read("page/style.css"),
		licence: "uPlot 1.6.32, https://github.com/leeoniya/uPlot\n\n" + read("third_party/uplot/LICENSE"),
	}
	script := &strings.Builder{}
	script.WriteString(read("third_party/uplot/uPlot.iife.min.js"))
	for _, m := range modules {
		fmt.Fprintf(script, "\n// %s.js\n%s", m, joinable(read("page/js/"+m+".js")))
	}
	a.script = script.String()
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Module returns the script of one of the page's modules as a part of one script, for tests in a
// browser.
func Module(name string) (string, error) {
	text, err := files.ReadFile("page/js/" + name + ".js")
	return joinable(string(text)), err
}

// joinable turns a module into a part of one script: it removes the import lines and the
// word export. A page that is opened as a file may not load modules from other files. If
// two modules declare the same name, the script has a syntax error, so tests find it.
func joinable(module string) string {
	var b strings.Builder
	for line := range strings.Lines(module) {
		if strings.HasPrefix(line, "import ") {
			continue
		}
		b.WriteString(strings.TrimPrefix(line, "export "))
	}
	return b.String()
}

package tracepage

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/tracepage/synthetic"
	"github.com/sluiceio/sluice/trace"
)

// written returns the page of tr.
func written(t testing.TB, tr *trace.Trace, name string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, tr, name); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// decoded decodes a page's data, as data.js does.
func decoded(t testing.TB, page string) (h head, columns map[string][]float64) {
	t.Helper()
	_, rest, _ := strings.Cut(page, `<script type="text/plain" id="data">`)
	text, _, _ := strings.Cut(rest, "</script>")
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		t.Fatal(err)
	}
	size := 4 + int(binary.LittleEndian.Uint32(b))
	if err := json.Unmarshal(b[4:size], &h); err != nil {
		t.Fatal(err)
	}
	b = b[(size+7)&^7:]
	columns = map[string][]float64{}
	for _, c := range h.Columns {
		values := make([]float64, c.N)
		width := map[string]int{"u8": 1, "u16": 2, "u32": 4, "i32": 4, "f64": 8}[c.Type]
		for i := range values {
			values[i] = value(c.Type, b[i*width:])
		}
		b = b[(c.N*width+7)&^7:]
		columns[c.Name] = values
	}
	return h, columns
}

func value(kind string, b []byte) float64 {
	switch kind {
	case "u8":
		return float64(b[0])
	case "u16":
		return float64(binary.LittleEndian.Uint16(b))
	case "u32":
		return float64(binary.LittleEndian.Uint32(b))
	case "i32":
		return float64(int32(binary.LittleEndian.Uint32(b)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

// TestData decodes pages of traces whose values need each type of column.
func TestData(t *testing.T) {
	start := seed.Of(t)
	for _, n := range []int{0, 1, 2, 3000} {
		tr := synthetic.Trace(start, n)
		if n == 3000 {
			extreme(tr)
		}
		h, c := decoded(t, written(t, tr, "name"))
		queued := float64(h.FirstOp)
		for i, o := range tr.Ops {
			queued += c["queued"][i]
			got := []float64{
				queued, c["inQueue"][i], c["inDevice"][i], c["waking"][i], c["offset"][i], c["size"][i], c["result"][i],
				c["file"][i], c["batch"][i], c["goroutine"][i], c["kind"][i], c["path"][i], c["driver"][i], c["class"][i], c["ring"][i],
			}
			want := []float64{
				float64(o.Queued), float64(o.InQueue()), float64(o.InDevice()), float64(o.Waking()), float64(o.Offset), float64(o.Size), float64(o.Result),
				float64(o.File), float64(o.Batch), float64(o.Goroutine), float64(o.Kind), float64(o.Path), float64(slices.Index(h.Drivers, o.Driver)), float64(o.Class), float64(o.Ring),
			}
			if !slices.Equal(got, want) {
				t.Fatalf("operation %d of %d is %v; want %v", i, n, got, want)
			}
		}
		start := float64(h.FirstCall)
		for i, call := range tr.Calls {
			start += c["call.start"][i]
			got := []float64{start, c["call.duration"][i], c["call.batch"][i], c["call.result"][i], c["call.syscall"][i], c["call.ring"][i]}
			want := []float64{float64(call.Start), float64(call.Duration), float64(call.Batch), float64(call.Result), float64(slices.Index(h.Syscalls, call.Syscall)), float64(call.Ring)}
			if !slices.Equal(got, want) {
				t.Fatalf("call %d of %d is %v; want %v", i, n, got, want)
			}
		}
	}
}

// extreme gives the last operations the extreme values of some ranges.
func extreme(tr *trace.Trace) {
	last := tr.Ops[len(tr.Ops)-3:]
	last[0].Offset, last[0].Size = -1, 1<<52
	last[1].Batch, last[1].Result = math.MaxInt32, -4095
	last[2].Woken += 100 * time.Hour
	last[2].Goroutine, last[2].Class, last[2].Ring = math.MaxUint32, math.MaxUint8, math.MaxUint8
}

// TestDisorder makes a page of a trace whose operations are not sorted, as in a file of
// another program.
func TestDisorder(t *testing.T) {
	tr := synthetic.Trace(1, 100)
	first := tr.Ops[0]
	slices.Reverse(tr.Ops)
	h, c := decoded(t, written(t, tr, "name"))
	if h.FirstOp != int64(first.Queued) || slices.Min(c["queued"]) < 0 {
		t.Errorf("the first is at %d, and the least difference is %.0f; want %d and none below 0", h.FirstOp, slices.Min(c["queued"]), first.Queued)
	}
	if tr.Ops[0].Queued <= first.Queued {
		t.Error("the trace itself has been sorted")
	}
}

// TestHostile uses names with text that would end a part of the page.
func TestHostile(t *testing.T) {
	tr := synthetic.Trace(1, 10)
	const evil = `</script><script>alert(1)</script><!--"'` + "\xff"
	tr.Files[1], tr.Meta.Program = evil, evil
	page := written(t, tr, evil)
	if strings.Contains(page, "alert") && strings.Count(page, "<script") != 2 {
		t.Errorf("the page has %d scripts; want 2", strings.Count(page, "<script"))
	}
	if h, _ := decoded(t, page); !strings.HasPrefix(h.Files[1], `</script>`) {
		t.Errorf("the file's name is %q", h.Files[1])
	}
	if title := "<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!--&#34;&#39;"; !strings.Contains(page, title) {
		t.Error("the title is not escaped")
	}
}

// TestHead compares the head with what encoding/json makes of it.
func TestHead(t *testing.T) {
	tr := synthetic.Trace(1, 300)
	tr.Files = append(tr.Files, "a <name>\x00\xff")
	tr.Ops[0].Result, tr.Meta.OS = -5, "linux"
	h := newHead(tr, "a \"name\"")
	h.Lost, h.Kept, h.FirstOp, h.Columns = 3, true, 17, h.opColumns(tr.Ops)
	want, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := errors.Join(json.Unmarshal(h.json(), &a), json.Unmarshal(want, &b)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("the head is %s; want %s", h.json(), want)
	}
}

// TestSelfContained checks that nothing in the page makes a request, and that its policy
// fits the embedded script and style.
func TestSelfContained(t *testing.T) {
	page := written(t, synthetic.Trace(1, 10), "name")
	if !strings.HasPrefix(page, Mark) {
		t.Errorf("the page begins with %q", page[:40])
	}
	for _, pattern := range []string{`\ssrc=`, `<link[^>]+href="[^d]`, `@import`, `url\(`, `fetch\(`, `XMLHttpRequest`, `\beval\(`, `\bimport[ (]`} {
		if found := regexp.MustCompile(pattern).FindString(page); found != "" {
			t.Errorf("the page has %q", found)
		}
	}
	a, err := readAssets()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"<style>" + a.style + "</style>", `<script type="module">` + a.script + "</script>"} {
		if strings.Count(page, part) != 1 {
			t.Errorf("the page does not have %.30q as it is", part)
		}
	}
	if !strings.Contains(page, policy) || !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("the page has not the policy %q", policy)
	}
	if script, style := digest(a.script), digest(a.style); scriptDigest != script || styleDigest != style {
		t.Errorf("scriptDigest and styleDigest are %q and %q; want %q and %q", scriptDigest, styleDigest, script, style)
	}
	for _, part := range []string{"</script", "</style"} {
		if strings.Contains(a.script+a.style, part) {
			t.Errorf("what is embedded has %q, and would end there", part)
		}
	}
	if !strings.Contains(page, "Permission is hereby granted") {
		t.Error("the page has not uPlot's licence")
	}
}

// TestIncomplete checks that a page without its end, as after a download that broke off, says so.
// The script of a whole page hides the line.
func TestIncomplete(t *testing.T) {
	page := written(t, synthetic.Trace(1, 10), "name")
	before, _, _ := strings.Cut(page, `id="data"`)
	shown := regexp.MustCompile(`<p id="lost"[^>]*>[^<]*the file is incomplete`).FindString(before)
	if shown == "" || strings.Contains(shown, "hidden") {
		t.Errorf("before its data the page has %q; want a line that is shown and tells of an incomplete file", shown)
	}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

var importLine = regexp.MustCompile(`(?m)^import \{ ([^}]+) \} from "\./(\w+)\.js";$`)

// TestModules checks that the list has all modules, each after the modules that it imports,
// that everything they import is exported, and that joinable knows their form of import.
func TestModules(t *testing.T) {
	names, err := fs.Glob(files, "page/js/*.js")
	if err != nil || len(names) != len(modules) {
		t.Fatalf("there are %d modules, %v; want the %d of the list", len(names), err, len(modules))
	}
	for i, name := range modules {
		text, err := files.ReadFile("page/js/" + name + ".js")
		if err != nil {
			t.Fatal(err)
		}
		found := importLine.FindAllSubmatch(text, -1)
		if n := strings.Count(string(text), "\nimport ") + strings.Count(string(text), "await import"); n != len(found) {
			t.Errorf("%s has %d imports, and %d of the form that is known", name, n, len(found))
		}
		for _, line := range found {
			from := string(line[2])
			if j := slices.Index(modules, from); j < 0 || j >= i {
				t.Errorf("%s imports from %s, which is not before it", name, from)
			}
			for imported := range strings.SplitSeq(string(line[1]), ", ") {
				checkExport(t, from, imported)
			}
		}
	}
}

func checkExport(t *testing.T, module, name string) {
	t.Helper()
	text, err := files.ReadFile("page/js/" + module + ".js")
	if err != nil {
		t.Error(err)
	}
	if !regexp.MustCompile(fmt.Sprintf(`(?m)^export (async )?(function|class|const) %s[ (]`, regexp.QuoteMeta(name))).Match(text) {
		t.Errorf("%s does not export %s", module, name)
	}
}

// TestErrors lets the writing of a page fail after different numbers of bytes.
func TestErrors(t *testing.T) {
	tr := synthetic.Trace(1, 10)
	full := len(written(t, tr, "name"))
	for at := 0; at < full; at += 997 {
		if err := Write(&limited{at}, tr, "name"); !errors.Is(err, errFull) {
			t.Fatalf("Write to what takes %d of %d bytes: %v; want %v", at, full, err, errFull)
		}
	}
}

var errFull = errors.New("full")

// limited is a Writer that accepts left bytes and then fails.
type limited struct{ left int }

func (l *limited) Write(p []byte) (int, error) {
	if n := l.left; len(p) > n {
		l.left = 0
		return n, errFull
	}
	l.left -= len(p)
	return len(p), nil
}

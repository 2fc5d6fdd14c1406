package trace

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// WriteCSV writes the operations as comma-separated values (RFC 4180): a line of column names, then
// a line for each operation. The columns are the fields of [Op], with the names of file and class.
// Times are nanoseconds since Meta.Start.
func (t *Trace) WriteCSV(w io.Writer) error {
	b := bufio.NewWriterSize(w, 256<<10)
	_, _ = b.WriteString("kind,path,driver,class,file,offset,size,result," +
		"queued_ns,submitted_ns,completed_ns,woken_ns,batch,slot,goroutine,ring\r\n")
	files, classes := allQuoted(t.Files), allQuoted(t.classNames())
	var line []byte
	for i := range t.Ops {
		o := &t.Ops[i]
		file := ""
		if int(o.File) < len(files) {
			file = files[o.File]
		}
		line = appendRow(line[:0], []string{o.Kind.String(), o.Path.String(), quoted(o.Driver), classes[o.Class]})
		line = append(append(line, ','), file...)
		line = appendRow(append(line, ','), nil, o.Offset, o.Size, o.Result,
			int64(o.Queued), int64(o.Submitted), int64(o.Completed), int64(o.Woken),
			int64(o.Batch), int64(o.Slot), int64(o.Goroutine), int64(o.Ring))
		_, _ = b.Write(append(line, "\r\n"...))
	}
	return b.Flush() // returns the first error
}

// appendRow appends names and numbers with commas between them. The names must not need quotes.
func appendRow(b []byte, names []string, numbers ...int64) []byte {
	for i, s := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, s...)
	}
	for i, n := range numbers {
		if i > 0 || len(names) > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return b
}

// allQuoted returns the texts, each as quoted returns it.
func allQuoted(texts []string) []string {
	all := make([]string, len(texts))
	for i, s := range texts {
		all[i] = quoted(s)
	}
	return all
}

// quoted returns s as a field of a line, in quotes if it needs them.
func quoted(s string) string {
	if strings.ContainsAny(s, ",\"\r\n") || strings.TrimSpace(s) != s {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

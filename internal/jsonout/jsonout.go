// Package jsonout writes JSON. It imports next to nothing: a program of "sluice build" has it in
// it, and is not to grow by encoding/json.
//
//	var w jsonout.Writer
//	w.Open('{')
//	w.Key("name")
//	w.String(name)
//	w.Close('}')
//	b := w.Bytes()
//
// The caller opens and closes in the right order, and writes a key before each value of an object.
//
// # Concurrency
//
// One goroutine at a time may use a Writer.
package jsonout

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// Writer is a JSON text that is being written. The zero value is empty.
type Writer struct {
	b []byte
	// value is true if a value was written last, so that a comma comes before the next.
	value bool
}

// Bytes returns the text so far.
func (w *Writer) Bytes() []byte { return w.b }

// Open begins an object or an array: bracket is '{' or '['.
func (w *Writer) Open(bracket byte) {
	w.comma()
	w.b, w.value = append(w.b, bracket), false
}

// Close ends it: bracket is '}' or ']'.
func (w *Writer) Close(bracket byte) { w.b, w.value = append(w.b, bracket), true }

// Key writes the key of the next value.
func (w *Writer) Key(name string) {
	w.String(name)
	w.b, w.value = append(w.b, ':'), false
}

// Int writes a number.
func (w *Writer) Int(n int64) {
	w.comma()
	w.b = strconv.AppendInt(w.b, n, 10)
}

// Float writes a number. JSON has no infinite numbers and no NaN; they become 0.
func (w *Writer) Float(v float64) {
	w.comma()
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	w.b = strconv.AppendFloat(w.b, v, 'f', -1, 64)
}

// Bool writes true or false.
func (w *Writer) Bool(v bool) {
	w.comma()
	w.b = strconv.AppendBool(w.b, v)
}

// String writes a string. Bytes that are not UTF-8 become U+FFFD. Characters with a meaning in HTML
// are escaped, as encoding/json does.
func (w *Writer) String(s string) {
	w.comma()
	w.b = append(w.b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.b = append(w.b, '\\', byte(r))
		case r < ' ' || r == 0x7f || r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029':
			w.b = append(w.b, '\\', 'u')
			for shift := 12; shift >= 0; shift -= 4 {
				w.b = append(w.b, "0123456789abcdef"[r>>shift&15])
			}
		default:
			w.b = utf8.AppendRune(w.b, r)
		}
	}
	w.b = append(w.b, '"')
}

func (w *Writer) comma() {
	if w.value {
		w.b = append(w.b, ',')
	}
	w.value = true
}

package tune

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// encode returns the text of m's file.
func (m Measured) encode() ([]byte, error) {
	at, err := m.Time.MarshalText()
	if err != nil {
		return nil, err
	}
	const form = "{\n\t\"version\": %d,\n\t\"device\": %q,\n\t\"size_bytes\": %d,\n\t\"time\": %q,\n" +
		"\t\"depth\": %d,\n\t\"bytes\": %d,\n\t\"beside_bytes\": %d\n}\n"
	return fmt.Appendf(nil, form, m.Version, m.Device, m.Size, at, m.Depth, m.Bytes, m.Beside), nil
}

// decode sets the fields that a JSON object of strings and whole numbers has. A program of "sluice
// build" has this code in it: encoding/json would make it 440 KB larger.
func (m *Measured) decode(text string) error {
	d := decoder{rest: text}
	if err := d.take('{'); err != nil {
		return err
	}
	for first := true; !d.sees('}'); first = false {
		if !first {
			if err := d.take(','); err != nil {
				return err
			}
		}
		key, err := d.text()
		if err != nil {
			return err
		}
		if err = d.take(':'); err == nil {
			err = m.field(key, &d)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if err := d.take('}'); err != nil {
		return err
	}
	if d.space(); d.rest != "" {
		return fmt.Errorf("%.20q is after the end", d.rest)
	}
	return nil
}

// field sets the field of a key to the next value. It passes over a key that it does not know.
func (m *Measured) field(key string, d *decoder) (err error) {
	var n int64
	switch key {
	case "version":
		n, err = d.number(strconv.IntSize)
		m.Version = int(n)
	case "device":
		m.Device, err = d.text()
	case "size_bytes":
		m.Size, err = d.number(64)
	case "time":
		var at string
		if at, err = d.text(); err == nil {
			err = m.Time.UnmarshalText([]byte(at))
		}
	case "depth":
		n, err = d.number(strconv.IntSize)
		m.Depth = int(n)
	case "bytes":
		m.Bytes, err = d.number(64)
	case "beside_bytes":
		m.Beside, err = d.number(64)
	default:
		if d.sees('"') {
			_, err = d.text()
		} else {
			_, err = d.number(64)
		}
	}
	return err
}

// decoder has the text that was not decoded yet.
type decoder struct{ rest string }

// errEnd is the error for a text that is too short.
var errEnd = errors.New("unexpected end")

// space removes white space.
func (d *decoder) space() { d.rest = strings.TrimLeft(d.rest, " \t\r\n") }

// sees reports whether c is the next character that is no white space.
func (d *decoder) sees(c byte) bool {
	d.space()
	return d.rest != "" && d.rest[0] == c
}

// take removes c, which must be next.
func (d *decoder) take(c byte) error {
	switch {
	case d.sees(c):
		d.rest = d.rest[1:]
		return nil
	case d.rest == "":
		return errEnd
	}
	return fmt.Errorf("%.20q is not %q", d.rest, c)
}

// text removes a string, and returns what it quotes. It knows all that JSON escapes but \/ and
// surrogates, and all that %q does.
func (d *decoder) text() (string, error) {
	if !d.sees('"') {
		return "", d.take('"')
	}
	quoted, err := strconv.QuotedPrefix(d.rest)
	if err != nil {
		return "", fmt.Errorf("%.20q is no string", d.rest)
	}
	d.rest = d.rest[len(quoted):]
	return strconv.Unquote(quoted)
}

// number removes a whole number of so many bits.
func (d *decoder) number(bits int) (int64, error) {
	d.space()
	end := strings.IndexAny(d.rest, ",} \t\r\n")
	if end < 0 {
		return 0, errEnd
	}
	n, err := strconv.ParseInt(d.rest[:end], 10, bits)
	if err != nil {
		return 0, fmt.Errorf("%.20q is no whole number", d.rest[:end])
	}
	d.rest = d.rest[end:]
	return n, nil
}

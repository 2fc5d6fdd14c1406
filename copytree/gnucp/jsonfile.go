package gnucp

import (
	"encoding/json"
	"errors"
	"io"
	"os"
)

// jsonFile is the file of --json. It is opened before the copy, so that an unusable name is
// reported at once. A nil jsonFile writes nothing.
type jsonFile struct {
	io.Writer
	close func() error
}

// createJSON opens the file of --json=name. The name - means stdout, and "" returns nil.
func createJSON(name string, stdout io.Writer) (*jsonFile, error) {
	switch name {
	case "":
		return nil, nil
	case "-":
		return &jsonFile{stdout, func() error { return nil }}, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, failed("cannot create", name, err)
	}
	return &jsonFile{f, f.Close}, nil
}

// write writes one object, and closes the file.
func (f *jsonFile) write(v any) error {
	if f == nil {
		return nil
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		_, err = f.Write(append(text, '\n'))
	}
	if err := errors.Join(err, f.close()); err != nil {
		return errors.New("cannot write the summary: " + causeText(err))
	}
	return nil
}

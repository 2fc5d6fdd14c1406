package trace

import "testing"

// TestEmptyTexts checks that the last texts of a block may be empty: an empty text is one byte, its
// length.
func TestEmptyTexts(t *testing.T) {
	f := &fields{b: []byte{2, 0, 0}}
	if got := f.texts(nil); len(got) != 2 || got[0] != "" || got[1] != "" || f.err != nil {
		t.Errorf("texts = %q, %v; want two empty ones", got, f.err)
	}
	if f = (&fields{b: []byte{3, 0, 0}}); len(f.texts(nil)) != 0 || f.err == nil {
		t.Error("more texts than there are bytes were accepted")
	}
}

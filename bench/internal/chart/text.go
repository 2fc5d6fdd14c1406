package chart

import (
	"html"
	"math"
	"strconv"
	"strings"
)

// at returns a coordinate with at most one decimal.
func at(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		panic("chart: a coordinate is not a number")
	}
	return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64)
}

// fontSize is the size of labels, in CSS pixels.
const fontSize = 12

// textWidth estimates the width of a text. The reader's font is unknown, so it assumes a wide one.
func textWidth(text string, size float64) float64 {
	width := 0.0
	for _, r := range text {
		switch {
		case strings.ContainsRune("il.,:;|!'()[]tfjrI /", r):
			width += 0.38
		case strings.ContainsRune("mwMW@%", r):
			width += 0.95
		case r >= 'A' && r <= 'Z':
			width += 0.72
		default:
			width += 0.62
		}
	}
	return width * size
}

// cut returns the beginning of a text that fits the width.
func cut(text string, size, width float64) string {
	if textWidth(text, size) <= width {
		return text
	}
	runes := []rune(text)
	for len(runes) > 1 && textWidth(string(runes)+"…", size) > width {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimSpace(string(runes)) + "…"
}

// escape returns a text for XML and HTML, without characters that XML forbids.
func escape(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff || r == 0xfffd {
			return -1
		}
		return r
	}, text)
	return html.EscapeString(text)
}

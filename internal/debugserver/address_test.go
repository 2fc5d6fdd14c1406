package debugserver

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		":6060":              "127.0.0.1:6060",
		"localhost:0":        "127.0.0.1:0",
		"127.0.0.1:65535":    "127.0.0.1:65535",
		"0.0.0.0:1":          "0.0.0.0:1",
		"[::1]:80":           "[::1]:80",
		"[::]:80":            "[::]:80",
		"[::ffff:1.2.3.4]:5": "1.2.3.4:5",
		"":                   "", "6060": "", "localhost": "", "localhost:": "", "localhost:http": "", "localhost:65536": "",
		"localhost:-1": "", "example.com:80": "", "::1:80": "", "[::1:80": "", "[fe80::1%eth0]:80": "", "1.2.3:80": "",
	} {
		got, err := parse(text)
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("parse(%q) = %v, %v; want %q", text, got, err, want)
		}
	}
}

func TestIsLocal(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:6060": true, "127.0.0.1:6060": true, "127.1.2.3": true, "[::1]:80": true, "[::1]": true, "::1": true,
		"": false, "example.com": false, "example.com:6060": false, "10.0.0.1:6060": false, "localhost.example.com": false, "[::1": true,
	} {
		if got := isLocal(host); got != want {
			t.Errorf("isLocal(%q) = %v; want %v", host, got, want)
		}
	}
}

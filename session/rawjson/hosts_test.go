package rawjson

import (
	"os"
	"strings"
	"testing"
)

func TestS8_ASCIIFormOfHosts(t *testing.T) {
	data, err := os.ReadFile("testdata/hosts.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		lexeme, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		name := Text([]byte(lexeme), nil)
		if got := string(asciiHost(name)); got != strings.TrimRight(want, ".") {
			t.Errorf("%s: got %s, want %s", lexeme, got, want)
		}
	}
}

// RFC 3492, section 7.1: samples (A), (B), (F), (I), (L), (S).
func TestPunycodeOfTheRFC(t *testing.T) {
	for label, want := range map[string]string{
		"ليهمابتكلموشعربي؟":            "egbpdaj6bu4bxfgehfvwxn",
		"他们为什么不说中文":                    "ihqwcrb4cv8a8dqg056pqjye",
		"почемужеонинеговорятпорусски": "b1abfaaepdrnnbgefbadotcwatmq2g4l",
		"3年b組金八先生":                     "3b-ww4c5e180e575a65lsy2b",
		"-> $1.00 <-":                  "-> $1.00 <--",
	} {
		if got := string(appendPunycode(nil, []byte(label))); got != want {
			t.Errorf("%s: got %s, want %s", label, got, want)
		}
	}
}

func TestS8_HostsAreFoundInURLsAndAddresses(t *testing.T) {
	tests := []struct {
		text string
		want string // host ends at | with the ASCII form in brackets
	}{
		{"https://пример.рф/a?b#c", "https://пример.рф[xn--e1afmkfd.xn--p1ai]/a?b#c"},
		{"HTTPS://ПРИМЕР.рф", "HTTPS://ПРИМЕР.рф[xn--e1afmkfd.xn--p1ai]"},
		{"http://example.com@пример.рф:80/", "http://example.com@пример.рф[xn--e1afmkfd.xn--p1ai]:80/"},
		{"http://пример.рф@example.com/", ""},
		{"http://a:b@c@пример.рф", "http://a:b@c@пример.рф[xn--e1afmkfd.xn--p1ai]"},
		{"//пример.рф/x", "//пример.рф[xn--e1afmkfd.xn--p1ai]/x"},
		{"ftp://пример", "ftp://пример[xn--e1afmkfd]"},
		{"see https://пример.рф, and mail a@münchen.de!",
			"see https://пример.рф[xn--e1afmkfd.xn--p1ai], and mail a@münchen.de[xn--mnchen-3ya.de]!"},
		{"mailto:bob@раypal.com", "mailto:bob@раypal.com[xn--ypal-43d9g.com]"},
		{"<bob@раypal.com>", "<bob@раypal.com[xn--ypal-43d9g.com]>"},
		{"网站https://例子.测试，谢谢", "网站https://例子.测试[xn--fsqu00a.xn--0zwm56d]，谢谢"},
		{"https://пример.рф\u3000", "https://пример.рф[xn--e1afmkfd.xn--p1ai]\u3000"},
		{"https://ｐａｙｐａｌ.com/", "https://ｐａｙｐａｌ.com[paypal.com]/"},
		{"\\\\https://\\пример", ""},
		{"https://example.com/пример", ""},
		{"a @ б.в", ""},
		{"@пользователь привет", ""}, // a handle, no address
		{"a // комментарий", ""},
		{"пример.рф", ""}, // no URL
		{"файл.txt", ""},
		{"https://", ""},
		{"@", ""},
		{"https://" + strings.Repeat("ж", 600), ""}, // longer than a host can be
	}
	for _, test := range tests {
		got, at := "", 0
		for _, h := range appendHosts(nil, []byte(test.text)) {
			got += test.text[at:h.end] + "[" + string(asciiHost([]byte(test.text)[h.start:h.end])) + "]"
			at = h.end
		}
		if at > 0 {
			got += test.text[at:]
		}
		if got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}

package sse

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// show writes a frame as the vectors do.
func show(f Frame) string {
	var s strings.Builder
	if len(f.Event) > 0 {
		s.WriteString(" event=" + strconv.QuoteToASCII(string(f.Event)))
	}
	if f.HasID {
		s.WriteString(" id=" + strconv.QuoteToASCII(string(f.ID)))
	} else if len(f.ID) > 0 {
		s.WriteString(" id without HasID")
	}
	if f.Retry >= 0 {
		s.WriteString(" retry=" + strconv.Itoa(f.Retry))
	}
	if f.Data != nil {
		s.WriteString(" data=" + strconv.QuoteToASCII(string(f.Data)))
	}
	return s.String()
}

// decode feeds the chunks and lists the frames, and the open one at the end.
func decode(d *Decoder, chunks ...[]byte) []string {
	var got []string
	for _, chunk := range chunks {
		own := bytes.Clone(chunk)
		d.Feed(own)
		for f, ok := d.Next(); ok; f, ok = d.Next() {
			got = append(got, "frame"+show(f))
		}
		// The caller may use its memory again from here on.
		for i := range own {
			own[i] = '#'
		}
	}
	if f, ok := d.End(); ok {
		got = append(got, "open"+show(f))
	}
	return got
}

// reference decodes a whole stream as the specification is written, by splitting.
func reference(stream string) []string {
	var got []string
	stream = strings.TrimPrefix(stream, "\ufeff")
	stream = strings.ReplaceAll(stream, "\r\n", "\n")
	stream = strings.ReplaceAll(stream, "\r", "\n")
	lines := strings.Split(stream, "\n")
	f := Frame{Retry: -1}
	field := func(line string) {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			f.Event = []byte(value)
		case "data":
			if f.Data != nil {
				f.Data = append(f.Data, '\n')
			}
			f.Data = append(append([]byte{}, f.Data...), value...)
		case "id":
			if !strings.Contains(value, "\x00") {
				f.ID, f.HasID = []byte(value), true
			}
		case "retry":
			if value != "" && strings.Trim(value, "0123456789") == "" {
				n, err := strconv.Atoi(value)
				if err != nil || n > maxRetry {
					n = maxRetry
				}
				f.Retry = n
			}
		}
	}
	flush := func(word string) {
		if f.Data != nil || len(f.Event) > 0 {
			got = append(got, word+show(f))
		}
		f = Frame{Retry: -1}
	}
	for i, line := range lines {
		switch {
		case line != "":
			field(line)
		case i < len(lines)-1:
			flush("frame")
		}
	}
	flush("open")
	return got
}

type vector struct {
	name   string
	stream string
	want   []string
}

func vectors(t testing.TB) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []vector
	for _, paragraph := range strings.Split(string(data), "\n\n") {
		lines := strings.Split(strings.TrimSpace(paragraph), "\n")
		if strings.HasPrefix(lines[0], "#") {
			continue
		}
		v := vector{name: lines[0]}
		v.stream, err = strconv.Unquote(strings.TrimPrefix(lines[1], "stream "))
		if err != nil {
			t.Fatalf("%s: %v", v.name, err)
		}
		for _, line := range lines[2:] {
			v.want = append(v.want, normal(t, line))
		}
		list = append(list, v)
	}
	return list
}

// normal puts the fields of a frame line into the order of show.
func normal(t testing.TB, line string) string {
	word, rest, _ := strings.Cut(line, " ")
	f := Frame{Retry: -1}
	for rest != "" {
		name, value, _ := strings.Cut(rest, "=")
		quoted, err := strconv.QuotedPrefix(value)
		if err != nil { // retry is a number
			quoted, _, _ = strings.Cut(value, " ")
		}
		rest = strings.TrimPrefix(value[len(quoted):], " ")
		text, _ := strconv.Unquote(quoted)
		switch name {
		case "event":
			f.Event = []byte(text)
		case "id":
			f.ID, f.HasID = []byte(text), true
		case "data":
			f.Data = append([]byte{}, text...)
		case "retry":
			if f.Retry, err = strconv.Atoi(quoted); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("field %q in %q", name, line)
		}
	}
	return word + show(f)
}

func streams(t testing.TB) []vector {
	t.Helper()
	files, err := filepath.Glob("testdata/streams/*.sse")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d streams, %v", len(files), err)
	}
	var list []vector
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, vector{name: filepath.Base(file), stream: string(data), want: reference(string(data))})
	}
	return list
}

func TestR2_Vectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.name, func(t *testing.T) {
			compare(t, "whole", decode(New(Limits{}), []byte(v.stream)), v.want)
			compare(t, "reference", reference(v.stream), v.want)
		})
	}
}

func TestR1_CutAtEveryOffset(t *testing.T) {
	for _, v := range append(vectors(t), streams(t)...) {
		t.Run(v.name, func(t *testing.T) {
			s := []byte(v.stream)
			compare(t, "whole", decode(New(Limits{}), s), v.want)
			for i := range len(s) + 1 {
				compare(t, "cut at "+strconv.Itoa(i), decode(New(Limits{}), s[:i], s[i:]), v.want)
			}
			for _, size := range []int{1, 2, 3, 7} {
				var chunks [][]byte
				for i := 0; i < len(s); i += size {
					chunks = append(chunks, s[i:min(i+size, len(s))])
				}
				compare(t, "chunks of "+strconv.Itoa(size), decode(New(Limits{}), chunks...), v.want)
			}
			// Empty chunks between change nothing.
			compare(t, "empty chunks", decode(New(Limits{}), nil, s[:len(s)/2], nil, []byte{}, s[len(s)/2:], nil), v.want)
		})
	}
}

func TestStreamsHoldEveryFramingOfEachTurn(t *testing.T) {
	for _, v := range streams(t) {
		if len(v.want) < 3 {
			t.Errorf("%s gives %d frames", v.name, len(v.want))
		}
		if cut := strings.Contains(v.name, "cut") || strings.Contains(v.name, "no-last"); cut != strings.HasPrefix(v.want[len(v.want)-1], "open") {
			t.Errorf("%s ends with %s", v.name, v.want[len(v.want)-1])
		}
	}
}

func compare(t *testing.T, how string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("%s: got\n%s\nwant\n%s", how, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

package rawjson

import (
	"strings"
	"testing"
)

func TestB008_EqualIsStructural(t *testing.T) {
	for _, pair := range [][2]string{
		{`{"a":1,"b":[true,null,"x"]}`, " {\n\"b\" : [ true , null,\"\\u0078\" ],\t\"a\":1 }"},
		{`{}`, ` { } `},
		{`[]`, `[ ]`},
		{`"\/"`, `"/"`},
		{`"\ud83d\ude42"`, `"🙂"`},
		{`{"\u0061":{"y":1,"x":2}}`, `{"a":{"x":2,"y":1}}`},
		{`{"a":1,"a":2}`, `{"a":1, "a":2}`},
		{`{"a":1,"b":0,"a":2}`, `{"b":0,"a":1,"a":2}`},
		{`not json`, `not json`},
	} {
		if !Equal([]byte(pair[0]), []byte(pair[1])) || !Equal([]byte(pair[1]), []byte(pair[0])) {
			t.Errorf("%s and %s are equal", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{
		{`{"to":"a"}`, `{"to":"b"}`},
		{`{"to":"a"}`, `{"To":"a"}`},
		{`1`, `1.0`},
		{`1e0`, `1`},
		{`-0`, `0`},
		{`9007199254740993`, `9007199254740992`},
		{`"1"`, `1`},
		{`"null"`, `null`},
		{`true`, `false`},
		{`{}`, `[]`},
		{`[1,2]`, `[2,1]`},
		{`[[1],2]`, `[1,[2]]`},
		{`[[],[[]]]`, `[[[]],[]]`},
		{`{"a":{}}`, `{"a":[]}`},
		{`{"a":1}`, `{"a":1,"b":2}`},
		{`{"a":1,"a":2}`, `{"a":2,"a":1}`},
		{`{"a":{"b":1},"c":2}`, `{"a":{"b":1,"c":2}}`},
		{`"é"`, "\"e\u0301\""},
		{`"\ud83d"`, `"\ud83e"`},
		{`{"a":1`, `{"a":1}`},
		{`{"a":1}`, `{"a":1} x`},
		{`[1]`, `[1,]`},
		{``, `{}`},
	} {
		if Equal([]byte(pair[0]), []byte(pair[1])) || Equal([]byte(pair[1]), []byte(pair[0])) {
			t.Errorf("%s and %s differ", pair[0], pair[1])
		}
	}
}

func TestEqualIsBounded(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	if Equal([]byte(deep), []byte(deep+"]")) {
		t.Error("deep texts")
	}
	long := strings.Repeat(" ", maxEqualBytes)
	if Equal([]byte(long+"1"), []byte("1")) {
		t.Error("a text over the limit was compared")
	}
	if !Equal([]byte(long+"1"), []byte(long+"1")) {
		t.Error("the same bytes are equal at any size")
	}
	many := "[" + strings.Repeat("1,", maxEqualNodes) + "1]"
	if Equal([]byte(many), []byte(many+" ")) {
		t.Error("too many nodes were compared")
	}
}

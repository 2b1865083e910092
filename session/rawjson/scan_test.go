package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
)

func scan(t *testing.T, text string, names ...string) ([]Value, error) {
	t.Helper()
	out := make([]Value, len(names))
	return out, NewNames(names...).Scan([]byte(text), out)
}

func TestScanGivesTheSourceTextOfEachMember(t *testing.T) {
	out, err := scan(t, " {\"s\" : \"a\\u0041\" ,\n\"n\":-1.50e+3,\"t\":true,\"f\":false,\"z\":null,"+
		"\"o\":{\"s\":[1, {}]},\"a\":[ ],\"other\":9} \r\n",
		"s", "n", "t", "f", "z", "o", "a", "absent", "sother", "")
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		raw  string
		kind Kind
	}{
		{`"a\u0041"`, String}, {"-1.50e+3", Number}, {"true", True}, {"false", False}, {"null", Null},
		{`{"s":[1, {}]}`, Object}, {"[ ]", Array}, {"", Absent}, {"", Absent}, {"", Absent},
	}
	for i, w := range want {
		if string(out[i].Raw) != w.raw || out[i].Kind != w.kind || out[i].Duplicate {
			t.Errorf("value %d: got %q %d, want %q %d", i, out[i].Raw, out[i].Kind, w.raw, w.kind)
		}
		if got := KindOf(out[i].Raw); got != w.kind {
			t.Errorf("value %d: KindOf %d, want %d", i, got, w.kind)
		}
	}
}

func TestB102_NamesAreMatchedExactly(t *testing.T) {
	for _, text := range []string{
		`{"toolCallId":"c1","ToolCallId":"evil"}`,
		`{"ToolCallId":"evil","toolCallId":"c1"}`,
		`{"toolcallid":"evil","toolCallId":"c1","toolCall\u0131d":"evil","tool\u212aallId":"evil"}`,
		`{"toolCallId ":"evil","toolCallId":"c1","toolCallId\u0000":"evil"}`,
		`{"\u0074oolCall\u0049d":"c1"}`,
		`{"x":{"toolCallId":"evil"},"toolCallId":"c1"}`,
	} {
		out, err := scan(t, text, "toolCallId")
		if err != nil || string(out[0].Raw) != `"c1"` || out[0].Duplicate {
			t.Errorf("%s: got %q, duplicate %v, error %v", text, out[0].Raw, out[0].Duplicate, err)
		}
	}
}

func TestS10_ScanMarksDuplicatesAndKeepsTheFirst(t *testing.T) {
	for _, text := range []string{
		`{"confirmation":"required","confirmation":"auto"}`,
		`{"confirmation":"required","confirmatio\u006e":"auto"}`,
		`{"\u0063onfirmation":"required","confirmation":"auto"}`,
		`{"confirmation":"required","confirmation":"required","confirmation":null}`,
	} {
		out, err := scan(t, text, "confirmation", "type")
		if err != nil || string(out[0].Raw) != `"required"` || !out[0].Duplicate || out[1].Duplicate {
			t.Errorf("%s: got %+v, error %v", text, out, err)
		}
	}
}

func TestB097_PrototypeNamesAreOrdinary(t *testing.T) {
	out, err := scan(t, `{"__proto__":1,"constructor":2}`, "__proto__", "constructor", "toString")
	if err != nil || string(out[0].Raw) != "1" || string(out[1].Raw) != "2" || out[2].Kind != Absent {
		t.Errorf("got %+v, error %v", out, err)
	}
}

// syntaxErrors are texts that are no JSON object, with the code and the place.
var syntaxErrors = []struct {
	text   string
	code   string
	offset int
}{
	{``, CodeTruncated, 0},
	{" \n", CodeTruncated, 2},
	{`{`, CodeTruncated, 1},
	{`{"`, CodeTruncated, 2},
	{`{"a`, CodeTruncated, 3},
	{`{"a"`, CodeTruncated, 4},
	{`{"a":`, CodeTruncated, 5},
	{`{"a":1`, CodeTruncated, 6},
	{`{"a":1,`, CodeTruncated, 7},
	{`{"a":tru`, CodeTruncated, 8},
	{`{"a":-`, CodeTruncated, 6},
	{`{"a":1.`, CodeTruncated, 7},
	{`{"a":1e`, CodeTruncated, 7},
	{`{"a":"\`, CodeTruncated, 7},
	{`{"a":"\u12`, CodeTruncated, 10},
	{`{"a":[1`, CodeTruncated, 7},
	{`{"x":NaN}`, CodeInvalid, 5}, // B106
	{`{"x":Infinity}`, CodeInvalid, 5},
	{`{"x":-Infinity}`, CodeInvalid, 6},
	{`{a:1}`, CodeInvalid, 1},
	{`{'a':1}`, CodeInvalid, 1},
	{`{"a" 1}`, CodeInvalid, 5},
	{`{"a":1 "b":2}`, CodeInvalid, 7},
	{`{"a":1,}`, CodeInvalid, 7},
	{`{,}`, CodeInvalid, 1},
	{`{"a":[1,]}`, CodeInvalid, 8},
	{`{"a":[1}`, CodeInvalid, 7},
	{`{"a":{]}`, CodeInvalid, 6},
	{`{"a":}`, CodeInvalid, 5},
	{`{"a":01}`, CodeInvalid, 6},
	{`{"a":+1}`, CodeInvalid, 5},
	{`{"a":.5}`, CodeInvalid, 5},
	{`{"a":1.}`, CodeInvalid, 7},
	{`{"a":1e}`, CodeInvalid, 7},
	{`{"a":0x1}`, CodeInvalid, 6},
	{`{"a":trve}`, CodeInvalid, 7},
	{`{"a":True}`, CodeInvalid, 5},
	{"{\"a\":\"\n\"}", CodeInvalid, 6},
	{"{\"a\":\"\x00\"}", CodeInvalid, 6},
	{`{"a":"\x41"}`, CodeInvalid, 7},
	{`{"a":"\u12g4"}`, CodeInvalid, 10},
	{`{"a":1}}`, CodeInvalid, 7},
	{`{"a":1}{}`, CodeInvalid, 7},
	{`{"a":1}x`, CodeInvalid, 7},
	{"{\"a\":1}\x00", CodeInvalid, 7},
	{"\ufeff{}", CodeInvalid, 0},
	{"{\u00a0}", CodeInvalid, 1},
	{"{}\v", CodeInvalid, 2},
	{`{/* c */}`, CodeInvalid, 1},
	{`null`, CodeNotObject, 0},
	{` [1]`, CodeNotObject, 1},
	{`"{}"`, CodeNotObject, 0},
	{`12`, CodeNotObject, 0},
	{`[1`, CodeTruncated, 2},
}

func TestScanRefusesWhatIsNoObject(t *testing.T) {
	for _, test := range syntaxErrors {
		out, err := scan(t, test.text, "a", "x")
		var e *Error
		if !errors.As(err, &e) || e.Code != test.code || e.Offset != test.offset {
			t.Errorf("%q: got %v, want %s at %d", test.text, err, test.code, test.offset)
			continue
		}
		for i, v := range out {
			if v.Kind != Absent || v.Raw != nil {
				t.Errorf("%q: value %d is used: %q", test.text, i, v.Raw)
			}
		}
		if strings.Contains(err.Error(), `"`) {
			t.Errorf("the error quotes the text: %v", err)
		}
	}
}

func TestS17_NestingLimit(t *testing.T) {
	nested := func(open, shut string, n int) []byte {
		return []byte(strings.Repeat(open, n) + strings.Repeat(shut, n))
	}
	for _, c := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
		inner := ""
		if c[0] != "[" {
			inner = "1"
		}
		at := bytes.Replace(nested(c[0], c[1], MaxDepth), []byte(c[0]+c[1]), []byte(c[0]+inner+c[1]), 1)
		over := bytes.Replace(nested(c[0], c[1], MaxDepth+1), []byte(c[0]+c[1]), []byte(c[0]+inner+c[1]), 1)
		if err := Valid(at); err != nil {
			t.Errorf("%s at the limit: %v", c[0], err)
		}
		var e *Error
		if err := Valid(over); !errors.As(err, &e) || e.Code != CodeTooDeep || e.Offset != MaxDepth*len(c[0]) {
			t.Errorf("%s over the limit: %v", c[0], err)
		}
	}
	// No recursion: a nesting that would end the stack of a wasm instance.
	if err := Valid(nested("[", "]", 1_000_000)); err == nil {
		t.Error("a million levels were accepted")
	}
}

func TestScanAllocatesNothing(t *testing.T) {
	names := NewNames("type", "toolCallId", "toolName", "target", "input", "confirmation", "delta")
	out := make([]Value, names.Len())
	text := []byte(`{"type":"tool.call","toolCall\u0049d":"c\u0031","toolName":"delete_post","target":"backend",` +
		`"input":{"post_id":1,"tags":["a","b",{"c":null}]},"confirmation":"required"}`)
	if n := testing.AllocsPerRun(100, func() {
		if names.Scan(text, out) != nil {
			t.Fatal("refused")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if string(out[1].Raw) != `"c\u0031"` {
		t.Errorf("got %q", out[1].Raw)
	}
}

func TestScannedValuesCannotBeAppendedOver(t *testing.T) {
	text := []byte(`{"a":1,"b":2}`)
	out := make([]Value, 1)
	if err := NewNames("a").Scan(text, out); err != nil {
		t.Fatal(err)
	}
	_ = append(out[0].Raw, "XXXX"...)
	if string(text) != `{"a":1,"b":2}` {
		t.Errorf("the source was changed: %s", text)
	}
}

func TestNamesRefusesMistakesOfTheProgram(t *testing.T) {
	many := make([]string, 129)
	for i := range many {
		many[i] = strconv.Itoa(i)
	}
	for _, names := range [][]string{{"a", "b", "a"}, {"", ""}, {`a\b`}, many} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d names, the first %q, were accepted", len(names), names[0])
				}
			}()
			NewNames(names...)
		}()
	}
}

func TestNamesAreFoundAmongMany(t *testing.T) {
	var list []string
	for i := range 128 { // all of one length, so that hashes collide
		list = append(list, "x"+strconv.Itoa(100+i)+"y")
	}
	names := NewNames(list...)
	for i, name := range list {
		for _, key := range []string{`"` + name + `"`, `"\u0078` + name[1:] + `"`} {
			if got := names.Index([]byte(key)); got != i {
				t.Errorf("%s: got %d, want %d", key, got, i)
			}
		}
	}
	for _, key := range []string{`""`, `"x"`, `"x300y"`, `"X100y"`, `"x100y "`, `"` + strings.Repeat(`\u0078`, 500) + `"`} {
		if got := names.Index([]byte(key)); got != -1 {
			t.Errorf("%.20s: got %d", key, got)
		}
	}
}

func TestMembersAndElements(t *testing.T) {
	var got []string
	err := Members([]byte(` {"a":1, "\u0061" : [2,3] ,"":{"x":1}} `), func(key, value []byte) bool {
		got = append(got, string(key)+"="+string(value))
		return true
	})
	if want := `"a"=1|"\u0061"=[2,3]|""={"x":1}`; err != nil || strings.Join(got, "|") != want {
		t.Errorf("members %q, %v", got, err)
	}
	got = nil
	err = Elements([]byte(` [ 1 ,"a" , {"x":[1]},[] ] `), func(value []byte) bool {
		got = append(got, string(value))
		return true
	})
	if want := `1|"a"|{"x":[1]}|[]`; err != nil || strings.Join(got, "|") != want {
		t.Errorf("elements %q, %v", got, err)
	}
	for _, test := range syntaxErrors {
		var e *Error
		err := Members([]byte(test.text), func(_, _ []byte) bool { return true })
		if !errors.As(err, &e) || e.Code != test.code || e.Offset != test.offset {
			t.Errorf("Members %q: got %v, want %s at %d", test.text, err, test.code, test.offset)
		}
	}
	for text, code := range map[string]string{
		`{}`: CodeNotArray, `1`: CodeNotArray, `[1`: CodeTruncated, `[1,]`: CodeInvalid, `[1]]`: CodeInvalid,
		`[`: CodeTruncated, `[1 2]`: CodeInvalid, `{`: CodeTruncated, ``: CodeTruncated,
	} {
		var e *Error
		if err := Elements([]byte(text), func([]byte) bool { return true }); !errors.As(err, &e) || e.Code != code {
			t.Errorf("Elements %q: got %v, want %s", text, err, code)
		}
	}
	calls := 0
	if err := Members([]byte(`{"a":1,"b":!`), func(_, _ []byte) bool { calls++; return false }); err != nil || calls != 1 {
		t.Errorf("stopped walk: %d calls, %v", calls, err)
	}
	if err := Elements([]byte(`[1,!`), func([]byte) bool { calls++; return false }); err != nil || calls != 2 {
		t.Errorf("stopped walk: %d calls, %v", calls, err)
	}
}

func TestB095_IntIsExact(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "1": 1, "-1": -1, "2512292042121000001": 2512292042121000001,
		"9007199254740993": 9007199254740993, "9223372036854775807": 1<<63 - 1, "-9223372036854775808": -1 << 63,
	} {
		if got, ok := Int([]byte(text)); !ok || got != want {
			t.Errorf("%s: got %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{
		"", "-", "+1", "01", "1.0", "1e3", "1E0", " 1", "1 ", `"1"`, "null", "0x1", "1_0",
		"9223372036854775808", "-9223372036854775809", "99999999999999999999", "-99999999999999999999",
	} {
		if got, ok := Int([]byte(text)); ok {
			t.Errorf("%q: got %d", text, got)
		}
	}
}

func TestValidAgreesWithEncodingJSON(t *testing.T) {
	for _, test := range syntaxErrors {
		if got, want := Valid([]byte(test.text)) == nil, json.Valid([]byte(test.text)); got != want {
			t.Errorf("%q: valid is %v, want %v", test.text, got, want)
		}
	}
}

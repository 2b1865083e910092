package rawjson

import "strconv"

var kindNames = [...]string{
	Absent: "text", Null: "null", False: "boolean", True: "boolean",
	Number: "number", String: "string", Object: "object", Array: "array",
}

// AppendArguments appends what the page draws, as one JSON object:
//
//	{digest, kind, blocked: string|null, hidden: {rows, characters},
//	 warnings: [{code, path}],
//	 rows: [{path, depth, key: Token[]|null, index: number|null, kind, size,
//	         tokens: Token[], hidden, warnings: [code]}]}
//
// path is for code and never for show: it holds decoded keys with whatever is in them.
// kind is object, array, string, number, boolean, null, or text for what is no JSON.
func AppendArguments(dst []byte, a *Arguments) []byte {
	dst = AppendQuoted(append(dst, `{"digest":`...), a.Digest)
	dst = AppendQuoted(append(dst, `,"kind":`...), kindNames[a.Kind])
	dst = append(dst, `,"blocked":`...)
	if a.Blocked == "" {
		dst = append(dst, "null"...)
	} else {
		dst = AppendQuoted(dst, a.Blocked)
	}
	dst = appendInt(append(dst, `,"hidden":{"rows":`...), a.Hidden.Rows)
	dst = appendInt(append(dst, `,"characters":`...), a.Hidden.Characters)
	dst = append(dst, `},"warnings":`...)
	dst = AppendWarnings(dst, a.Warnings)
	dst = append(dst, `,"rows":[`...)
	for i := range a.Rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendRow(dst, &a.Rows[i])
	}
	return append(dst, "]}"...)
}

func appendRow(dst []byte, r *Row) []byte {
	dst = AppendQuoted(append(dst, `{"path":`...), r.Path)
	dst = appendInt(append(dst, `,"depth":`...), r.Depth)
	dst = append(dst, `,"key":`...)
	if r.Key == nil {
		dst = append(dst, "null"...)
	} else {
		dst = AppendTokens(dst, r.Key)
	}
	dst = append(dst, `,"index":`...)
	if r.Index < 0 {
		dst = append(dst, "null"...)
	} else {
		dst = appendInt(dst, r.Index)
	}
	dst = AppendQuoted(append(dst, `,"kind":`...), kindNames[r.Kind])
	dst = appendInt(append(dst, `,"size":`...), r.Size)
	dst = AppendTokens(append(dst, `,"tokens":`...), r.Tokens)
	dst = appendInt(append(dst, `,"hidden":`...), r.Hidden)
	dst = append(dst, `,"warnings":[`...)
	for i, code := range r.Marks.Codes() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendQuoted(dst, code)
	}
	return append(dst, "]}"...)
}

// AppendTokens appends a JSON array of tokens:
//
//	{t:"text", s}                 ordinary text
//	{t:"char", cp, name}          one character as a label, cp like "U+202E"
//	{t:"space", cp, name, count}  a run of one character, count of them
//	{t:"ascii", s}                ASCII form of the host before it
//
// cp is "0xFF" for a byte that is no UTF-8 and "U+000D U+000A" for CR LF.
func AppendTokens(dst []byte, tokens []Token) []byte {
	dst = append(dst, '[')
	for i := range tokens {
		if i > 0 {
			dst = append(dst, ',')
		}
		t := &tokens[i]
		switch t.Type {
		case TokenText:
			dst = AppendQuoted(append(dst, `{"t":"text","s":`...), t.Text)
		case TokenASCII:
			dst = AppendQuoted(append(dst, `{"t":"ascii","s":`...), t.Text)
		case TokenChar:
			dst = appendChar(append(dst, `{"t":"char"`...), t.Char)
		case TokenSpace:
			dst = appendChar(append(dst, `{"t":"space"`...), t.Char)
			dst = appendInt(append(dst, `,"count":`...), t.Count)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func appendChar(dst []byte, c Char) []byte {
	dst = c.appendCodePoint(append(dst, `,"cp":"`...))
	return AppendQuoted(append(dst, `","name":`...), c.Name())
}

// AppendWarnings appends a JSON array of {code, path}.
func AppendWarnings(dst []byte, warnings []Warning) []byte {
	dst = append(dst, '[')
	for i, w := range warnings {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendQuoted(append(dst, `{"code":`...), w.Code)
		dst = AppendQuoted(append(dst, `,"path":`...), w.Path)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

package rawjson

// Arguments is what the card draws of a call's arguments: rows made from the raw bytes,
// in source order, with exact lexemes (S1, S12, S13). Its slices refer to the raw bytes,
// which must not change as long as it is used.
type Arguments struct {
	Kind     Kind   // of the whole value; Absent when it is no JSON
	Digest   string // hex SHA-256 of the raw bytes
	Blocked  string // why Confirm must stay unavailable, one of the Blocked codes; "" otherwise
	Rows     []Row
	Hidden   Hidden
	Warnings []Warning // the first 200; every shown row has its own in Marks
}

// Codes of Arguments.Blocked. When several apply, the first of this list is given.
const (
	BlockedMalformed    = "malformed"     // not JSON: the only row shows the text itself
	BlockedTooDeep      = "too-deep"      // deeper than 512
	BlockedTooLarge     = "too-large"     // more than 1 MiB
	BlockedTooMany      = "too-many"      // more than 100,000 leaves, or that many tokens of special characters
	BlockedDuplicateKey = "duplicate-key" // two readers could see two values (S10)
)

// Hidden is the exact amount that Rows leave out (U28). A character is a code point of a
// decoded key or string, or of a literal; half of a surrogate pair and a byte that is no
// UTF-8 count as one each. The marks of JSON itself (quotes, braces, white space between
// values) do not count. Of a text that is too deep or too large, the part behind the limit
// is not read but counted as it stands, marks and all.
type Hidden struct {
	Rows       int // rows that are not there at all
	Characters int // characters of those rows, and of values and keys that were cut
}

// Row is one member or element. Containers have a row of their own before their
// children's; the outermost container has none. A text that is a single scalar has one row.
type Row struct {
	Path   string  // JSON Pointer with decoded keys; "#n" for the n-th value when that grew too long
	Depth  int     // 0 for members of the outermost container
	Key    []Token // nil when the row is an element or the whole value
	Index  int     // place in the array, -1 when the row has a key or is the whole value
	Kind   Kind    // Absent for the text of a malformed value
	Size   int     // children of an object or array
	Tokens []Token // a scalar's text; a string's without quotes and decoded
	Hidden int     // characters of key and value that were cut from this row
	Marks  Marks   // warnings about this row
}

// TokenType tells what a token stands for.
type TokenType uint8

const (
	TokenText  TokenType = iota // ordinary text
	TokenChar                   // one character that would not be seen, or not as what it is
	TokenSpace                  // a run of four or more of the same character (U29)
	TokenASCII                  // the ASCII form of the host that ends here; no part of the value
)

// Token is a piece of a key, a string or a literal.
type Token struct {
	Type  TokenType
	Char  Char   // TokenChar and TokenSpace: which character
	Count int    // TokenSpace: how many
	Text  []byte // TokenText and TokenASCII
}

// Marks is a set of warnings.
type Marks uint8

const (
	MarkBidi      Marks = 1 << iota // characters that change the order of others (S5)
	MarkInvisible                   // characters that are not seen, or have no agreed shape
	MarkMixed                       // Latin letters mixed with look-alikes of another script (S8)
	MarkHost                        // a host in other letters than ASCII
	MarkDuplicate                   // a key that its object has already (S10)
	MarkSameKey                     // a key that looks like another one, equal after NFC (S10)
	MarkPrototype                   // a key that reaches prototypes in careless JavaScript (S56)
)

// markCodes are the codes that the page and its catalogs know, by bit.
var markCodes = [...]string{
	"bidi", "invisible", "mixed-script", "non-ascii-host",
	"duplicate-key", "keys-equal-after-nfc", "prototype-key",
}

// Codes lists the warnings as codes, in the order of their bits.
func (m Marks) Codes() []string {
	var codes []string
	for i, code := range markCodes {
		if m&(1<<i) != 0 {
			codes = append(codes, code)
		}
	}
	return codes
}

// Warning is one code about one place.
type Warning struct {
	Code string
	Path string
}

// maxWarnings bounds the list; the rows keep their own.
const maxWarnings = 200

// appendWarnings adds a warning for each mark, but none that stands there just before, as
// for the keys of a duplicate.
func appendWarnings(list []Warning, m Marks, path string) []Warning {
	for i, code := range markCodes {
		w := Warning{Code: code, Path: path}
		if m&(1<<i) != 0 && len(list) < maxWarnings && (len(list) == 0 || list[len(list)-1] != w) {
			list = append(list, w)
		}
	}
	return list
}

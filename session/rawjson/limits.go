package rawjson

// Limits bounds what a card shows (S17). A leaf is a value without children: a scalar,
// {} or []. The outermost container has depth 1.
type Limits struct {
	Bytes  int // of the source text
	Depth  int
	Leaves int
	Tokens int // tokens that are not text: each becomes an element of the page
}

// Soft is what is shown before "Show all" was asked for; Hard is what can be confirmed
// at all.
var (
	Soft = Limits{Bytes: 256 << 10, Depth: 64, Leaves: 10_000, Tokens: 10_000}
	Hard = Limits{Bytes: 1 << 20, Depth: MaxDepth, Leaves: 100_000, Tokens: 100_000}
)

// What is shown of the outermost members even beyond Soft (U25).
const (
	alwaysRows       = 20
	alwaysCharacters = 40
)

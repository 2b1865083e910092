package rawjson

// The limits of S17. A leaf is a value without children: a scalar, {} or [].
const (
	softBytes, hardBytes   = 256 << 10, 1 << 20
	softDepth, hardDepth   = 64, MaxDepth
	softLeaves, hardLeaves = 10_000, 100_000
)

package rawjson

// Index says which of the names a key lexeme (quotes included) is, -1 for none.
func (n *Names) Index(key []byte) int { return n.find(key) }

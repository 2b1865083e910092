package snapshot

// The keys of each record; a test compares them with the generated code.

func (*chatFields) known(key []byte) bool {
	switch string(key) {
	case "id", "msgs", "fixed", "local", "batches", "confs", "grants", "runs", "outs", "sent", "req", "turn", "failed":
		return true
	}
	return false
}

func (*messageFields) known(key []byte) bool {
	switch string(key) {
	case "id", "role", "parts", "extra", "at":
		return true
	}
	return false
}

func (*partFields) known(key []byte) bool {
	switch string(key) {
	case "k", "t", "call", "tool", "set", "front", "req", "in", "out", "local", "raw", "extra":
		return true
	}
	return false
}

func (*batchFields) known(key []byte) bool {
	switch string(key) {
	case "proc", "total", "count":
		return true
	}
	return false
}

func (*confirmationFields) known(key []byte) bool {
	switch string(key) {
	case "call", "tool", "set", "mode", "why", "front", "in", "batch", "pos", "state", "dec", "always",
		"deny", "auto", "sent", "conflict", "err", "errtext", "came", "decat", "try", "asked":
		return true
	}
	return false
}

func (*grantFields) known(key []byte) bool {
	switch string(key) {
	case "set", "tool", "batch", "def":
		return true
	}
	return false
}

func (*runFields) known(key []byte) bool {
	switch string(key) {
	case "call", "tool", "auto":
		return true
	}
	return false
}

func (*outputFields) known(key []byte) bool {
	switch string(key) {
	case "auto", "part":
		return true
	}
	return false
}

func (*requestFields) known(key []byte) bool {
	switch string(key) {
	case "kind", "msg", "upto":
		return true
	}
	return false
}

func (*turnFields) known(key []byte) bool {
	switch string(key) {
	case "on", "ctx", "payload", "opts", "model", "prov", "rounds":
		return true
	}
	return false
}

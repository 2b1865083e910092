// Package slim rewrites a WebAssembly file of Go's linker into one that does the
// same and compresses better: docs/size.md has what each step saves.
package slim

import (
	"encoding/binary"
	"errors"
)

// Module rewrites a whole file. dropped is false when the file's function table was
// not of the known shape, so that its line numbers are still there.
func Module(file []byte) (out []byte, dropped bool, err error) {
	const head = 8 // magic and version
	if len(file) < head || string(file[:4]) != "\x00asm" {
		return nil, false, errors.New("not a WebAssembly file")
	}
	out = append(make([]byte, 0, len(file)+len(file)/4), file[:head]...)
	for in := (reader{b: file, at: head}); in.at < len(file); {
		id := in.byte()
		body := in.bytes(in.uint())
		if in.failed {
			return nil, false, errors.New("the WebAssembly file is cut")
		}
		if id == dataSection {
			memory, start, err := readData(body)
			if err != nil {
				return nil, false, err
			}
			dropped = dropLines(memory)
			body = appendData(nil, memory, start)
		}
		out = binary.AppendUvarint(append(out, id), uint64(len(body)))
		out = append(out, body...)
	}
	return out, dropped, nil
}

// reader reads the numbers of a WebAssembly file. After a fault it gives zeros.
type reader struct {
	b      []byte
	at     int
	failed bool
}

func (r *reader) byte() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (r *reader) bytes(n int) []byte {
	if r.failed || n < 0 || n > len(r.b)-r.at {
		r.failed = true
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

func (r *reader) uint() int {
	n, size := binary.Uvarint(r.b[r.at:])
	if size <= 0 || n > 1<<31 {
		r.failed = true
		return 0
	}
	r.at += size
	return int(n)
}

// sint reads a signed LEB128, which is not the zigzag of encoding/binary.
func (r *reader) sint() int {
	value := 0
	for shift := 0; shift < 35; shift += 7 {
		c := r.byte()
		value |= int(c&0x7f) << shift
		if c < 0x80 {
			if c&0x40 != 0 {
				value -= 1 << (shift + 7)
			}
			return value
		}
	}
	r.failed = true
	return 0
}

func appendSint(dst []byte, n int) []byte {
	for {
		c := byte(n & 0x7f)
		n >>= 7
		if n == 0 && c&0x40 == 0 || n == -1 && c&0x40 != 0 {
			return append(dst, c)
		}
		dst = append(dst, c|0x80)
	}
}

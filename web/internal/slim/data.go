package slim

import (
	"encoding/binary"
	"errors"
)

// dataSection is the section that fills the memory.
const dataSection = 11

// Opcodes of the constant that says where a segment goes.
const (
	i32Const = 0x41
	end      = 0x0b
)

// readData gives the memory as the section fills it, and where that begins.
func readData(body []byte) (memory []byte, start int, err error) {
	in := reader{b: body}
	start = -1
	for count := in.uint(); count > 0; count-- {
		active, op := in.byte() == 0, in.byte()
		at := in.sint()
		closed := in.byte() == end
		data := in.bytes(in.uint())
		if in.failed || !active || op != i32Const || !closed || at < 0 || at > largest {
			return nil, 0, errors.New("the data section is not of the known shape")
		}
		if start < 0 || at < start {
			start = at
		}
		if need := at + len(data); need > len(memory) {
			memory = append(memory, make([]byte, need-len(memory))...)
		}
		copy(memory[at:], data)
	}
	return memory, max(start, 0), nil
}

// largest is where the data of a sane file ends at most.
const largest = 1 << 26

// longZeros is how many zeros it takes to end a segment. The linker ends one at
// eight, which saves bytes of the file and costs more when it is compressed: the
// 70,000 segments of sveda.wasm each have a number that no other has.
const longZeros = 64

// appendData writes the memory from start on, in as few segments as pay.
func appendData(dst, memory []byte, start int) []byte {
	type segment struct{ from, to int }
	var segments []segment
	for at := start; at < len(memory); {
		if memory[at] == 0 {
			at++
			continue
		}
		from, zeros := at, 0
		for ; at < len(memory) && zeros < longZeros; at++ {
			if zeros++; memory[at] != 0 {
				zeros = 0
			}
		}
		segments = append(segments, segment{from, at - zeros})
	}
	dst = binary.AppendUvarint(dst, uint64(len(segments)))
	for _, s := range segments {
		dst = append(appendSint(append(dst, 0, i32Const), s.from), end)
		dst = binary.AppendUvarint(dst, uint64(s.to-s.from))
		dst = append(dst, memory[s.from:s.to]...)
	}
	return dst
}

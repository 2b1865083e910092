package slim

import (
	"bytes"
	"encoding/binary"
)

// The function table of Go's runtime (runtime/symtab.go, runtime2.go): a header
// with the places of its parts, among them pctab, which has a table for each
// function that says how far its stack is, which file and line it is from, and
// what is alive where. The collector needs the first and the last.
var tableHead = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8} // magic of Go 1.20 and later, pointers of 8 bytes

// Words of the header behind its head, eight bytes each.
const (
	wordFuncs = iota
	wordFiles
	_
	wordNames
	wordUnits
	wordFileNames
	wordPC
	wordEntries
	headerWords
)

// Offsets in the record of a function, and its fixed size.
const (
	funcName      = 4
	funcStack     = 16
	funcFile      = 20
	funcLine      = 24
	funcTables    = 28
	funcUnit      = 32
	funcStartLine = 36
	funcData      = 43
	funcSize      = 44
)

// dropLines forgets which line of which file an instruction is from: a trace
// says the function and "?:0". Those tables are a sixth of the compressed file.
// It changes nothing and reports false when anything is not as expected.
func dropLines(memory []byte) bool {
	table, ok := findTable(memory)
	if !ok {
		return false
	}
	inUse := make([]bool, len(table.pc))
	for _, f := range table.funcs {
		if !table.markInUse(f, inUse) {
			return false
		}
	}
	for _, f := range table.funcs {
		// A table at 0 is none: the runtime then knows no file and no line.
		clear(f[funcFile : funcLine+4])
		clear(f[funcUnit : funcStartLine+4])
	}
	for i := range table.pc {
		if !inUse[i] {
			table.pc[i] = 0
		}
	}
	clear(table.files)
	return true
}

type funcTable struct {
	funcs [][]byte // the records, each with its tables behind it
	pc    []byte   // pctab
	files []byte   // the units' lists of files and the names of those
	names int      // length of the names of functions
}

func findTable(memory []byte) (t funcTable, ok bool) {
	at := bytes.Index(memory, tableHead)
	if at < 0 || at%8 != 0 || bytes.LastIndex(memory, tableHead) != at {
		return t, false
	}
	all := memory[at:]
	var words [headerWords]int
	for i := range words {
		from := len(tableHead) + 8*i
		if from+8 > len(all) {
			return t, false
		}
		words[i] = int(binary.LittleEndian.Uint64(all[from:]))
		if words[i] < 0 || words[i] > len(all) || i > wordNames && words[i] < words[i-1] {
			return t, false
		}
	}
	t.names = words[wordUnits] - words[wordNames]
	t.files = all[words[wordUnits]:words[wordPC]]
	t.pc = all[words[wordPC]:words[wordEntries]]
	entries := all[words[wordEntries]:]
	for i := range words[wordFuncs] {
		// A pair for each function: where its code and where its record is.
		pair := 8*i + 4
		if pair+4 > len(entries) {
			return t, false
		}
		record := int(binary.LittleEndian.Uint32(entries[pair:]))
		if record < 8*words[wordFuncs] || record+funcSize > len(entries) {
			return t, false
		}
		tables := int(binary.LittleEndian.Uint32(entries[record+funcTables:]))
		if tables > 8 || record+funcSize+4*tables > len(entries) {
			return t, false
		}
		t.funcs = append(t.funcs, entries[record:record+funcSize+4*tables])
	}
	return t, len(t.funcs) > 0
}

// markInUse marks the tables of a function that stay.
func (t *funcTable) markInUse(f []byte, inUse []bool) bool {
	offset := func(at int) int { return int(binary.LittleEndian.Uint32(f[at:])) }
	if offset(funcName) >= t.names || offset(funcFile) >= len(t.pc) || offset(funcLine) >= len(t.pc) || f[funcData] > 16 {
		return false
	}
	if !t.mark(offset(funcStack), inUse) {
		return false
	}
	for at := funcSize; at < len(f); at += 4 {
		if !t.mark(offset(at), inUse) {
			return false
		}
	}
	return true
}

// mark marks the table that begins here: pairs of a value and a length, ended by
// a value of zero that is not the first.
func (t *funcTable) mark(from int, inUse []bool) bool {
	if from == 0 {
		return true // none
	}
	in := reader{b: t.pc, at: from}
	if from >= len(t.pc) {
		return false
	}
	for first := true; ; first = false {
		if value := in.uint(); value == 0 && !first || in.failed {
			break
		}
		in.uint()
	}
	for i := from; i < in.at; i++ {
		inUse[i] = true
	}
	return !in.failed
}

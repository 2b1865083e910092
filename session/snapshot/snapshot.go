// Package snapshot gives a saved session bytes: MessagePack that is written and
// read by code that tinylib/msgp generates.
//
// A snapshot is an array of a word that names it, a version, the CRC-32 of the
// body and the body: records, one after the other. The version is raised only when
// older code would read the body wrongly; what older code merely does not know, it
// keeps.
package snapshot

import (
	"bytes"
	"hash/crc32"

	"github.com/svedawasm/svedawasm/session"
	"github.com/tinylib/msgp/msgp"
)

const (
	head    = "\x94\xadsveda.session" // an array of four that begins with the name
	version = 1
)

// Bounds of a body.
const (
	maxSize     = 64 << 20 // bytes
	maxElements = 2 << 20  // texts, numbers and lists, and eight for each record
)

// Encode gives the bytes of saved; the same state gives the same bytes. It fails
// for what is too large, and for a Rest that no snapshot of Decode has.
func Encode(saved *session.Saved) ([]byte, error) {
	var a archive
	a.chat(saved)
	elements, size := 0, 0
	for i := range a.records {
		elements += a.records[i].weight()
		size += a.records[i].Msgsize()
	}
	body := format(make([]byte, 0, size), a.records)
	if elements > maxElements || len(body) > maxSize {
		a.fail(&Error{CodeLarge, "the chat is too large for a snapshot"})
	}
	if a.err != nil {
		return nil, a.err
	}
	out := make([]byte, 0, len(head)+len(body)+16)
	out = append(out, head...)
	out = msgp.AppendUint64(out, version)
	out = msgp.AppendUint64(out, uint64(crc32.ChecksumIEEE(body)))
	return msgp.AppendBytes(out, body), nil
}

// Decode reads a snapshot. The error is an *Error; b is not kept.
func Decode(b []byte) (*session.Saved, error) {
	body, err := open(b)
	if err != nil {
		return nil, err
	}
	a := archive{reading: true}
	if a.records = a.parse(body); len(a.records) == 0 {
		a.fail(corrupt("it is empty"))
		return nil, a.err
	}
	saved := new(session.Saved)
	a.chat(saved)
	if a.next < len(a.records) {
		a.fail(corrupt("records follow the end"))
	}
	if a.err != nil {
		return nil, a.err
	}
	return saved, nil
}

// open reads the envelope and gives the body that the sum vouches for.
func open(b []byte) ([]byte, *Error) {
	at, ok := bytes.CutPrefix(b, []byte(head))
	if !ok {
		return nil, &Error{CodeForeign, "it is no snapshot of a session"}
	}
	v, at, err := msgp.ReadUint64Bytes(at)
	switch {
	case err != nil || v == 0:
		return nil, corrupt("its version is not a number")
	case v > version:
		return nil, &Error{CodeNewer, "a newer version of this library wrote it"}
	}
	sum, at, err := msgp.ReadUint64Bytes(at)
	if err != nil {
		return nil, corrupt("it is cut short")
	}
	body, at, err := msgp.ReadBytesZC(at)
	switch {
	case err != nil:
		return nil, corrupt("it is cut short")
	case len(at) > 0:
		return nil, corrupt("bytes follow the end")
	case len(body) > maxSize:
		return nil, corrupt("it is larger than 64 MiB")
	case uint64(crc32.ChecksumIEEE(body)) != sum:
		return nil, corrupt("its sum is wrong")
	}
	return body, nil
}

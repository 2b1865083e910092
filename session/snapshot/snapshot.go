// Package snapshot gives a saved session bytes: MessagePack whose body is
// written and read by code that tinylib/msgp generates.
//
// A snapshot is an array of a word that names it, a version, the CRC-32 of the
// body and the body. The version is raised only when older code would read the
// body wrongly; what older code merely does not know, it keeps.
package snapshot

import (
	"hash/crc32"

	"github.com/svedawasm/svedawasm/session"
	"github.com/tinylib/msgp/msgp"
)

const (
	magic    = "sveda.session"
	version  = 1
	envelope = 4 // elements of the outer array
)

// Encode gives the bytes of saved; the same state gives the same bytes. It fails
// only for a Rest that no snapshot of Decode has.
func Encode(saved *session.Saved) ([]byte, error) {
	c := toWire(saved)
	body, err := c.MarshalMsg(make([]byte, 0, c.Msgsize()))
	if err != nil {
		return nil, corrupt("a Rest is not MessagePack")
	}
	out := make([]byte, 0, len(body)+len(magic)+16)
	out = msgp.AppendArrayHeader(out, envelope)
	out = msgp.AppendString(out, magic)
	out = msgp.AppendUint(out, version)
	out = msgp.AppendUint32(out, crc32.ChecksumIEEE(body))
	return msgp.AppendBytes(out, body), nil
}

// Decode reads a snapshot. The error is an *Error; b is not kept.
func Decode(b []byte) (*session.Saved, error) {
	body, err := open(b)
	if err != nil {
		return nil, err
	}
	if err := check(body); err != nil {
		return nil, err
	}
	var c chat
	if _, err := c.UnmarshalMsg(body); err != nil {
		return nil, corrupt("its body has another shape")
	}
	saved, err := fromWire(&c)
	if err != nil {
		return nil, err
	}
	return saved, nil
}

// open reads the envelope and gives the body that the sum vouches for.
func open(b []byte) ([]byte, *Error) {
	n, at, err := msgp.ReadArrayHeaderBytes(b)
	if err != nil || n < 2 {
		return nil, &Error{CodeForeign, "it is no snapshot of a session"}
	}
	word, at, err := msgp.ReadStringZC(at)
	if err != nil || string(word) != magic {
		return nil, &Error{CodeForeign, "it is no snapshot of a session"}
	}
	v, at, err := msgp.ReadUint64Bytes(at)
	switch {
	case err != nil || v == 0:
		return nil, corrupt("its version is not a number")
	case v > version:
		return nil, &Error{CodeNewer, "a newer version of this library wrote it"}
	case n != envelope:
		return nil, corrupt("its envelope has another shape")
	}
	sum, at, err := msgp.ReadUint32Bytes(at)
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
	case crc32.ChecksumIEEE(body) != sum:
		return nil, corrupt("its sum is wrong")
	}
	return body, nil
}

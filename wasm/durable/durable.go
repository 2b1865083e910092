// Package durable hands sessions over the boundary as bytes: the entries that
// need the snapshot's codec.
package durable

import (
	"errors"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/snapshot"
	"github.com/svedawasm/svedawasm/wasm/bridge"
	"github.com/svedawasm/svedawasm/wasm/frame"
)

// Snapshot answers with the bytes of the session.
func Snapshot(b *bridge.Bridge, handle int) int {
	b.Begin(0)
	s := b.Session(handle)
	if s == nil {
		return b.Refuse(session.CodeClosed, "the object was closed")
	}
	data, err := snapshot.Encode(s.Save())
	if err != nil {
		return refuse(b, err)
	}
	b.Append(func(dst []byte) []byte { return frame.AppendBytes(dst, data) })
	return b.Leave(s)
}

// Restore reads a random seed of 16 bytes and a snapshot. It answers with the
// handle of the session and then what the restoring led to, or with the error of
// the snapshot.
func Restore(b *bridge.Bridge, client, length int) int {
	in := b.Begin(length)
	var seed [16]byte
	copy(seed[:], in.Bytes())
	saved, err := snapshot.Decode(in.Bytes())
	if err != nil {
		return refuse(b, err)
	}
	return b.Restore(client, seed, saved)
}

// Adopt reads a snapshot that another page of the chat wrote; alive says that
// the other page goes on acting.
func Adopt(b *bridge.Bridge, handle, alive, length int) int {
	in := b.Begin(length)
	s := b.Session(handle)
	if s == nil {
		return b.Refuse(session.CodeClosed, "the object was closed")
	}
	saved, err := snapshot.Decode(in.Bytes())
	if err != nil {
		return refuse(b, err)
	}
	if err := s.Adopt(saved, alive != 0); err != nil {
		return b.Refuse(err.Code, err.Message)
	}
	return b.Leave(s)
}

func refuse(b *bridge.Bridge, err error) int {
	var e *snapshot.Error
	if errors.As(err, &e) {
		return b.Refuse(e.Code, e.Error())
	}
	return b.Refuse(snapshot.CodeCorrupt, "the snapshot cannot be read")
}

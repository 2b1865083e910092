//go:build js && wasm

package main

import "unsafe"

// The data path. These exports are pure computation: no goroutine, no channel,
// no lock, no clock (design, "The boundary"); a test holds that.

//go:wasmexport inbox
func inbox(size int32) uint32 { return address(host.Inbox(int(size))) }

//go:wasmexport outbox
func outbox() uint32 { return address(host.Outbox()) }

//go:wasmexport clock
func clock(now, wall float64) {
	host.Clock(int64(now))
	host.Wall(int(wall))
}

// feed takes the time with the bytes: one call less for each chunk.
//
//go:wasmexport feed
func feed(handle, stream, length int32, now, wall float64) (left int32) {
	defer guard(&left)
	clock(now, wall)
	return int32(host.Feed(int(handle), int(stream), int(length)))
}

//go:wasmexport decode
func decode(handle, ended, length int32) (left int32) {
	defer guard(&left)
	return int32(host.Decode(int(handle), int(ended), int(length)))
}

// guard turns a panic of an export into the error "internal", so that the
// instance lives on.
func guard(left *int32) {
	if recover() != nil {
		*left = int32(host.Internal())
	}
}

// address is where a buffer lies in the linear memory. Go's collector does not
// move it, and host keeps it alive until the next call.
func address(buffer []byte) uint32 {
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(buffer))))
}

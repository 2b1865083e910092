//go:build !js

package websocket

func available() bool { return true }

func tellNumber(int) {}

// hiddenCode is for browsers; natively the library tells the code itself.
func hiddenCode(int) int { return 0 }

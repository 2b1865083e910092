package main

import (
	"strings"
	"testing"
)

func TestFollowCounts(t *testing.T) {
	report := `{"Action":"pass","Package":"p","Test":"A"}
{"Action":"skip","Package":"p","Test":"B"}
{"Action":"fail","Package":"p","Test":"C"}
{"Action":"fail","Package":"p"}
{"Action":"pass","Package":"q","Test":"A"}
{"Action":"pass","Package":"q"}
`
	got, err := follow(strings.NewReader(report))
	if err != nil {
		t.Fatal(err)
	}
	if want := (tally{pass: 2, fail: 2, skip: 1}); got != want {
		t.Errorf("expected %v, got %v", want, got)
	}
}

func TestTapTotal(t *testing.T) {
	got := tapTotal("ok 1 - x\n# pass 12\n# fail 1\n# skipped 3\n")
	if want := (tally{pass: 12, fail: 1, skip: 3}); got != want {
		t.Errorf("expected %v, got %v", want, got)
	}
}

package session_test

import (
	"bytes"
	"encoding/json"
	"os"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// clientSchema is what our client may send to Sveda's stream.
var clientSchema = sync.OnceValue(func() *jsonschema.Resolved {
	text, err := os.ReadFile("sveda/testdata/schema/request.schema.json")
	if err != nil {
		panic(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		panic(err)
	}
	client := jsonschema.Schema{ID: "test:client", Ref: s.ID + "#/$defs/client", Defs: map[string]*jsonschema.Schema{"whole": &s}}
	r, err := client.Resolve(nil)
	if err != nil {
		panic(err)
	}
	return r
})

var checked sync.Map

// checkSchema holds a request body against the contract's schema.
func (c *chat) checkSchema(body []byte) {
	c.t.Helper()
	if _, known := checked.LoadOrStore(string(body), true); known {
		return // many tests begin with the same words
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // numbers may be larger than a float
	var v any
	if err := d.Decode(&v); err != nil {
		c.t.Fatalf("%v: %s", err, body)
	}
	if err := clientSchema().Validate(v); err != nil {
		c.t.Fatalf("the request is not that of the contract: %v: %s", err, body)
	}
}

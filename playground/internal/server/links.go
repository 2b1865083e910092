package server

import (
	"github.com/svedawasm/svedawasm/session/rawjson"
)

var (
	linksName = rawjson.NewNames("links")
	linkNames = rawjson.NewNames("label", "url", "icon", "kind")
)

// resourceLinks gives the render hint and its data for an output that has links
// (contract 1.6, tool.result); nothing for any other.
func resourceLinks(output []byte) (hint string, data []byte) {
	var v [1]rawjson.Value
	if linksName.Scan(output, v[:]) != nil || v[0].Kind != rawjson.Array {
		return "", nil
	}
	var list []byte
	_ = rawjson.Elements(v[0].Raw, func(link []byte) bool { // valid: Scan has read it
		var m [4]rawjson.Value
		if linkNames.Scan(link, m[:]) != nil || m[0].Kind != rawjson.String || m[1].Kind != rawjson.String {
			return true
		}
		if len(list) > 0 {
			list = append(list, ',')
		}
		list = append(list, `{"label":`...)
		list = append(list, m[0].Raw...)
		list = append(list, `,"url":`...)
		list = append(list, m[1].Raw...)
		for i, key := range []string{2: `,"icon":`, 3: `,"kind":`} {
			if key != "" && m[i].Kind == rawjson.String {
				list = append(list, key...)
				list = append(list, m[i].Raw...)
			}
		}
		list = append(list, '}')
		return true
	})
	if len(list) == 0 {
		return "", nil
	}
	data = append([]byte(`{"links":[`), list...)
	return "resource_links", append(data, `]}`...)
}

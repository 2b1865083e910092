//go:build js && wasm

package main

import "github.com/svedawasm/svedawasm/wasm/durable"

// tables are what the page's classes call for control. Their functions take
// the handle first and the length of the input last.
var tables = []table{
	{"SvedaChatSession", map[string]entry{
		"open":          func(a args) int { return host.OpenSession(a[0], a[1]) },
		"close":         func(a args) int { return host.CloseSession(a[0]) },
		"send":          func(a args) int { return host.Send(a[0], a[1], a[2]) },
		"nudge":         func(a args) int { return host.Nudge(a[0], a[1], a[2]) },
		"openTurn":      func(a args) int { return host.OpenTurn(a[0], a[1], a[2]) },
		"continue":      func(a args) int { return host.Continue(a[0], a[1], a[2]) },
		"submitOutputs": func(a args) int { return host.SubmitOutputs(a[0], a[1]) },
		"restore":       func(a args) int { return host.RestoreChat(a[0], a[1], a[2], a[3]) },
		"reset":         func(a args) int { return host.ResetChat(a[0], a[1], a[2]) },
		"reread":        func(a args) int { return host.Reread(a[0], a[1]) },
		"stop":          func(a args) int { return host.Stop(a[0], a[1], a[2]) },
		"decide":        func(a args) int { return host.Decide(a[0], a[1], a[2]) },
		"revoke":        func(a args) int { return host.Revoke(a[0], a[1]) },
		"setMessages":   func(a args) int { return host.SetMessages(a[0], a[1]) },
		"setEvents":     func(a args) int { return host.SetEvents(a[0], a[1]) },
		"arguments":     func(a args) int { return host.Arguments(a[0], a[1], a[2]) },
		"encode":        func(a args) int { return host.Encode(a[0], a[1], a[2]) },
		"head":          func(a args) int { return host.Head(a[0], a[1], a[2], a[3], a[4]) },
		"end":           func(a args) int { return host.End(a[0], a[1], a[2], a[3]) },
		"fire":          func(a args) int { return host.Fire(a[0], a[1]) },
		"output":        func(a args) int { return host.Output(a[0], a[1], a[2], a[3]) },
		"snapshot":      func(a args) int { return durable.Snapshot(host, a[0]) },
		"fromSnapshot":  func(a args) int { return durable.Restore(host, a[0], a[1]) },
		"adopt":         func(a args) int { return durable.Adopt(host, a[0], a[1], a[2]) },
		"takeOver":      func(a args) int { return host.TakeOver(a[0]) },
		"unstarted":     func(a args) int { return host.Unstarted(a[0], a[1]) },
		"claimed":       func(a args) int { return host.Claimed(a[0], a[1], a[2], a[3]) },
		"retryUnknown":  func(a args) int { return host.RetryUnknown(a[0], a[1], a[2]) },
		"online":        func(a args) int { return host.Online(a[0], a[1]) },
		"wake":          func(a args) int { return host.Wake(a[0]) },
		"acting":        func(a args) int { return host.Acting(a[0]) },
	}},
	{"SvedaToolRegistry", map[string]entry{
		"open":            func(a args) int { return host.OpenRegistry() },
		"close":           func(a args) int { return host.CloseRegistry(a[0]) },
		"register":        func(a args) int { return host.RegisterTool(a[0], a[1], a[2]) },
		"unregister":      func(a args) int { return host.UnregisterTool(a[0], a[1]) },
		"unregisterID":    func(a args) int { return host.UnregisterID(a[0], a[1]) },
		"find":            func(a args) int { return host.FindTool(a[0], a[1]) },
		"list":            func(a args) int { return host.ListTools(a[0]) },
		"setCapabilities": func(a args) int { return host.SetCapabilities(a[0], a[1], a[2]) },
		"clear":           func(a args) int { return host.ClearTools(a[0]) },
	}},
	{"SvedaClient", map[string]entry{
		"open":         func(a args) int { return host.OpenClient(a[0], a[1], a[2]) },
		"close":        func(a args) int { return host.CloseClient(a[0]) },
		"openDecoder":  func(a args) int { return host.OpenDecoder() },
		"closeDecoder": func(a args) int { return host.CloseDecoder(a[0]) },
	}},
	{"SvedaContextRegistry", map[string]entry{
		"open":    func(a args) int { return host.OpenContext() },
		"close":   func(a args) int { return host.CloseContext(a[0]) },
		"add":     func(a args) int { return host.AddContext(a[0], a[1]) },
		"remove":  func(a args) int { return host.RemoveContext(a[0], a[1]) },
		"clear":   func(a args) int { return host.ClearContext(a[0]) },
		"order":   func(a args) int { return host.ContextOrder(a[0]) },
		"compose": func(a args) int { return host.ComposeContext(a[0], a[1]) },
	}},
}

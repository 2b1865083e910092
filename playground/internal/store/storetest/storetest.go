// Package storetest holds what every implementation of store.Store must do.
package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/store"
)

var (
	ctx = context.Background()
	key = store.Key{Visitor: "v", Chat: "c"}
	at  = time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)
)

// Test runs the tests on stores that open gives; each is empty.
func Test(t *testing.T, open func(t *testing.T) store.Store) {
	for name, test := range map[string]func(*testing.T, store.Store){
		"RoundTrip":                 testRoundTrip,
		"AnyBytes":                  testAnyBytes,
		"Visitors":                  testVisitors,
		"NotFound":                  testNotFound,
		"Duplicate":                 testDuplicate,
		"ErrorWritesNothing":        testErrorWritesNothing,
		"UpdatesOfOneChatQueue":     testQueue,
		"LockBeforeTheChatExists":   testLockBefore,
		"ClaimSucceedsOnce":         testClaim,
		"TurnRight":                 testTurnRight,
		"EndRunning":                testEndRunning,
		"List":                      testList,
		"Delete":                    testDelete,
		"Hosts":                     testHosts,
		"CancelledContext":          testCancelled,
		"UpdatesOfOtherChatsGoOn":   testOtherChats,
		"ReadIsOneMoment":           testReadIsOneMoment,
		"ResetRemovesEverything":    testReset,
		"TouchCountsAndSetsVersion": testTouch,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func update(t *testing.T, s store.Store, k store.Key, fn func(store.Tx) error) {
	t.Helper()
	if err := s.Update(ctx, k, fn); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, s store.Store, k store.Key) *store.Chat {
	t.Helper()
	c, err := s.Read(ctx, k)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sample stores a chat with a user message and a call that waits.
func sample(t *testing.T, s store.Store, k store.Key) (store.Message, store.Call) {
	t.Helper()
	m := store.Message{
		ID: "u1", Role: store.RoleUser, Text: "delete post 2", CreatedAt: at,
		Files: []json.RawMessage{json.RawMessage(`{"type":"file","name":"a"}`)},
	}
	c := store.Call{
		ID: "call_1", Position: 0, Name: "delete_post", Target: store.Backend,
		Input: json.RawMessage(`{"id": 2.0,"id":2}`), Confirming: true, State: store.StatePending,
	}
	update(t, s, k, func(tx store.Tx) error {
		if err := tx.Create("a title", at); err != nil {
			return err
		}
		seq, err := tx.Append(m)
		if err != nil || seq != 1 {
			return fmt.Errorf("the first message got number %d: %w", seq, err)
		}
		m.Seq = seq
		c.MessageSeq, err = tx.Append(store.Message{ID: "msg_1", Role: store.RoleAssistant, Reasoning: "hm", Hidden: true, CreatedAt: at})
		if err != nil {
			return err
		}
		return tx.AddCall(c)
	})
	return m, c
}

func testRoundTrip(t *testing.T, s store.Store) {
	m, c := sample(t, s, key)
	chat := read(t, s, key)
	want := &store.Chat{
		Key: key, Title: "a title", CreatedAt: at, UpdatedAt: at,
		Messages: []store.Message{m, {Seq: 2, ID: "msg_1", Role: store.RoleAssistant, Reasoning: "hm", Hidden: true, CreatedAt: at}},
		Calls:    []store.Call{c},
	}
	if !reflect.DeepEqual(chat, want) {
		t.Errorf("got  %+v\nwant %+v", chat, want)
	}
	done := c
	done.State, done.Decision, done.Reason = store.StateDone, store.Deny, "no"
	done.Output, done.ClaimedBy = json.RawMessage(`{"success":false}`), "p/1"
	done.ClaimUntil, done.DecidedAt, done.FinishedAt = at.Add(1), at.Add(2), at.Add(3)
	update(t, s, key, func(tx store.Tx) error { return tx.PutCall(done) })
	if got := read(t, s, key).Call("call_1"); !reflect.DeepEqual(*got, done) {
		t.Errorf("got  %+v\nwant %+v", *got, done)
	}
}

func testAnyBytes(t *testing.T, s store.Store) {
	strange := "a\x00b\xff🙂'\"\\ \u202e%_"
	k := store.Key{Visitor: strange, Chat: strange}
	call := store.Call{ID: strange, MessageSeq: 1, Name: strange, Target: store.Backend, Input: json.RawMessage(strange),
		Toolset: strange, Identity: strange, State: store.StateDone, Reason: strange, Output: json.RawMessage(strange)}
	update(t, s, k, func(tx store.Tx) error {
		if err := tx.Create(strange, at); err != nil {
			return err
		}
		if _, err := tx.Append(store.Message{ID: strange, Role: store.RoleUser, Text: strange, Reasoning: strange, CreatedAt: at}); err != nil {
			return err
		}
		return tx.AddCall(call)
	})
	chat := read(t, s, k)
	m := chat.Messages[0]
	if chat.Title != strange || m.ID != strange || m.Text != strange || m.Reasoning != strange || !reflect.DeepEqual(chat.Calls[0], call) {
		t.Errorf("got %+v", chat)
	}
	if list, err := s.List(ctx, strange); err != nil || len(list) != 1 || list[0].Preview != strange || list[0].Chat != strange {
		t.Errorf("got %+v, %v", list, err)
	}
}

func testVisitors(t *testing.T, s store.Store) {
	sample(t, s, key)
	other := store.Key{Visitor: "other", Chat: key.Chat}
	if _, err := s.Read(ctx, other); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another visitor reads the chat: %v", err)
	}
	sample(t, s, other)
	if err := s.Delete(ctx, other); err != nil {
		t.Fatal(err)
	}
	read(t, s, key)
}

func testNotFound(t *testing.T, s store.Store) {
	check := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: got %v, want ErrNotFound", what, err)
		}
	}
	_, err := s.Read(ctx, key)
	check("Read", err)
	check("Delete", s.Delete(ctx, key))
	check("Chat", s.Update(ctx, key, func(tx store.Tx) error { _, err := tx.Chat(); return err }))
	check("Touch", s.Update(ctx, key, func(tx store.Tx) error { return tx.Touch("t", 0, at) }))
	check("PutCall", s.Update(ctx, key, func(tx store.Tx) error { return tx.PutCall(store.Call{ID: "x"}) }))
	_, err = s.Host(ctx, "v", at)
	check("Host", err)
	if list, err := s.List(ctx, "v"); err != nil || len(list) != 0 {
		t.Errorf("List: got %v, %v", list, err)
	}
}

func testDuplicate(t *testing.T, s store.Store) {
	_, call := sample(t, s, key)
	update(t, s, key, func(tx store.Tx) error {
		if err := tx.Create("again", at); !errors.Is(err, store.ErrDuplicate) {
			t.Errorf("Create: got %v, want ErrDuplicate", err)
		}
		if err := tx.AddCall(call); !errors.Is(err, store.ErrDuplicate) {
			t.Errorf("AddCall: got %v, want ErrDuplicate", err)
		}
		return tx.Touch("goes on", 1, at) // the update is still usable
	})
	if c := read(t, s, key); c.Title != "goes on" || len(c.Calls) != 1 {
		t.Errorf("got %+v", c)
	}
}

func testErrorWritesNothing(t *testing.T, s store.Store) {
	failure := errors.New("no")
	err := s.Update(ctx, key, func(tx store.Tx) error {
		if err := tx.Create("t", at); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("got %v, want the error of fn", err)
	}
	if _, err := s.Read(ctx, key); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("something was written: %v", err)
	}
}

func testQueue(t *testing.T, s store.Store) {
	sample(t, s, key)
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			err := s.Update(ctx, key, func(tx store.Tx) error {
				c, err := tx.Chat()
				if err != nil {
					return err
				}
				return tx.Touch(fmt.Sprintf("%d", c.TokensUsed+1), 1, at)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if c := read(t, s, key); c.TokensUsed != 20 || c.Title != "20" || c.Version != 20 {
		t.Errorf("an update was lost: %+v", c)
	}
}

func testLockBefore(t *testing.T, s store.Store) {
	created := make(chan bool, 10)
	var wait sync.WaitGroup
	for range 10 {
		wait.Go(func() {
			err := s.Update(ctx, key, func(tx store.Tx) error {
				_, err := tx.Chat()
				if errors.Is(err, store.ErrNotFound) {
					created <- true
					return tx.Create("t", at)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if len(created) != 1 {
		t.Errorf("%d updates found no chat, want 1", len(created))
	}
}

func testClaim(t *testing.T, s store.Store) {
	sample(t, s, key)
	claimed := make(chan string, 20)
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			mine := false
			err := s.Update(ctx, key, func(tx store.Tx) error {
				chat, err := tx.Chat()
				if err != nil {
					return err
				}
				c := chat.Call("call_1")
				if c.State != store.StatePending {
					return nil
				}
				mine = true
				c.State, c.ClaimedBy, c.ClaimUntil = store.StateRunning, fmt.Sprint(i), at
				return tx.PutCall(*c)
			})
			if err != nil {
				t.Error(err)
			} else if mine {
				claimed <- fmt.Sprint(i)
			}
		})
	}
	wait.Wait()
	if len(claimed) != 1 {
		t.Fatalf("%d claims, want 1", len(claimed))
	}
	if by := read(t, s, key).Call("call_1").ClaimedBy; by != <-claimed {
		t.Errorf("stored claim is of %q", by)
	}
}

func testTurnRight(t *testing.T, s store.Store) {
	acquire := func(owner string, now time.Time) bool {
		t.Helper()
		ok, err := s.AcquireTurn(ctx, key, owner, now, now.Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if !acquire("a", at) || acquire("b", at) || !acquire("a", at.Add(time.Second)) {
		t.Error("the right is not exclusive, or not prolonged")
	}
	if acquire("b", at.Add(60*time.Second)) || !acquire("b", at.Add(61*time.Second)) {
		t.Error("the right does not end with its time")
	}
	if err := s.ReleaseTurn(ctx, key, "a"); err != nil || acquire("c", at.Add(61*time.Second)) {
		t.Errorf("somebody else's release gave it back: %v", err)
	}
	if err := s.ReleaseTurn(ctx, key, "b"); err != nil || !acquire("c", at.Add(61*time.Second)) {
		t.Errorf("a release did not give it back: %v", err)
	}
	var wait sync.WaitGroup
	won := make(chan int, 20)
	for i := range 20 {
		wait.Go(func() {
			ok, err := s.AcquireTurn(ctx, store.Key{Visitor: "v", Chat: "x"}, fmt.Sprint(i), at, at.Add(time.Minute))
			if err != nil {
				t.Error(err)
			} else if ok {
				won <- i
			}
		})
	}
	wait.Wait()
	if len(won) != 1 {
		t.Errorf("%d owners at once, want 1", len(won))
	}
}

func testEndRunning(t *testing.T, s store.Store) {
	output := json.RawMessage(`{"unknown":true}`)
	for i, until := range []time.Time{at.Add(-1), at.Add(time.Minute), {}} {
		k := store.Key{Visitor: "v", Chat: fmt.Sprint(i)}
		_, c := sample(t, s, k)
		if i < 2 {
			c.State = store.StateRunning
		}
		c.ClaimUntil = until
		update(t, s, k, func(tx store.Tx) error { return tx.PutCall(c) })
	}
	n, err := s.EndRunning(ctx, at, output)
	if err != nil || n != 1 {
		t.Errorf("got %d, %v, want 1", n, err)
	}
	for i, want := range []store.State{store.StateDone, store.StateRunning, store.StatePending} {
		c := read(t, s, store.Key{Visitor: "v", Chat: fmt.Sprint(i)}).Call("call_1")
		if c.State != want || (want == store.StateDone) != (string(c.Output) == string(output)) {
			t.Errorf("call %d: got %+v, want state %s", i, c, want)
		}
	}
	if n, err := s.EndRunning(ctx, at, output); err != nil || n != 0 {
		t.Errorf("again: got %d, %v, want 0", n, err)
	}
}

func testList(t *testing.T, s store.Store) {
	for i, age := range []time.Duration{2, 0, 1} {
		k := store.Key{Visitor: "v", Chat: fmt.Sprint(i)}
		sample(t, s, k)
		update(t, s, k, func(tx store.Tx) error { return tx.Touch("t"+fmt.Sprint(i), i, at.Add(age*time.Hour)) })
	}
	list, err := s.List(ctx, "v")
	if err != nil || len(list) != 3 {
		t.Fatalf("got %v, %v", list, err)
	}
	for i, want := range []string{"0", "2", "1"} {
		if list[i].Chat != want {
			t.Errorf("place %d: chat %q, want %q", i, list[i].Chat, want)
		}
	}
	first := store.Summary{Key: store.Key{Visitor: "v", Chat: "0"}, Title: "t0", Preview: "delete post 2", Version: 1,
		CreatedAt: at, UpdatedAt: at.Add(2 * time.Hour)}
	if !reflect.DeepEqual(list[0], first) {
		t.Errorf("got  %+v\nwant %+v", list[0], first)
	}
}

func testDelete(t *testing.T, s store.Store) {
	sample(t, s, key)
	if err := s.Delete(ctx, key); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(ctx, key); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	sample(t, s, key) // nothing of the old one is in the way
	if c := read(t, s, key); len(c.Messages) != 2 || len(c.Calls) != 1 {
		t.Errorf("got %+v", c)
	}
}

func testHosts(t *testing.T, s store.Store) {
	h := store.Host{URL: "http://h/mcp", Token: "secret", ExpiresAt: at.Add(time.Minute)}
	for range 2 {
		if err := s.PutHost(ctx, "v", h); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Host(ctx, "v", at); err != nil || !reflect.DeepEqual(got, h) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := s.Host(ctx, "v", h.ExpiresAt); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an old host is given out: %v", err)
	}
}

func testCancelled(t *testing.T, s store.Store) {
	gone, cancel := context.WithCancel(ctx)
	cancel()
	ran := false
	if err := s.Update(gone, key, func(store.Tx) error { ran = true; return nil }); err == nil || ran {
		t.Errorf("an update without time was run: %v", err)
	}
	sample(t, s, key) // the connection is usable
}

func testOtherChats(t *testing.T, s store.Store) {
	// Chats that are not stored yet too: their lock is another one, or the
	// store has one lock for all and the second update waits for the first.
	inside, leave := make(chan struct{}), make(chan struct{})
	done := make(chan error, 2)
	go func() {
		done <- s.Update(ctx, key, func(tx store.Tx) error {
			close(inside)
			<-leave
			return tx.Create("t", at)
		})
	}()
	<-inside
	go func() {
		done <- s.Update(ctx, store.Key{Visitor: "v", Chat: "other"}, func(tx store.Tx) error { return tx.Create("t", at) })
	}()
	time.Sleep(20 * time.Millisecond)
	close(leave)
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func testReadIsOneMoment(t *testing.T, s store.Store) {
	sample(t, s, key)
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			err := s.Update(ctx, key, func(tx store.Tx) error {
				seq, err := tx.Append(store.Message{ID: "m", Role: store.RoleAssistant, CreatedAt: at})
				if err != nil {
					return err
				}
				if err := tx.AddCall(store.Call{ID: fmt.Sprint(seq), MessageSeq: seq, Input: json.RawMessage(`{}`), State: store.StateOpen}); err != nil {
					return err
				}
				return tx.Touch("t", 1, at)
			})
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 50 {
		c := read(t, s, key)
		if len(c.Messages)-2 != c.TokensUsed || len(c.Calls)-1 != c.TokensUsed {
			t.Errorf("%d updates, %d messages, %d calls: not of one moment", c.TokensUsed, len(c.Messages), len(c.Calls))
			break
		}
	}
	close(stop)
	wait.Wait()
}

func testReset(t *testing.T, s store.Store) {
	sample(t, s, key)
	if _, err := s.AcquireTurn(ctx, key, "a", at, at.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := s.PutHost(ctx, "v", store.Host{ExpiresAt: at.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if err := s.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	testNotFound(t, s)
	if ok, err := s.AcquireTurn(ctx, key, "b", at, at.Add(time.Hour)); err != nil || !ok {
		t.Errorf("a turn is left: %v, %v", ok, err)
	}
}

func testTouch(t *testing.T, s store.Store) {
	sample(t, s, key)
	for i := range 3 {
		update(t, s, key, func(tx store.Tx) error { return tx.Touch("new", 10, at.Add(time.Duration(i)*time.Second)) })
	}
	c := read(t, s, key)
	if c.Title != "new" || c.TokensUsed != 30 || c.Version != 3 || !c.UpdatedAt.Equal(at.Add(2*time.Second)) || !c.CreatedAt.Equal(at) {
		t.Errorf("got %+v", c)
	}
}

// A receiver of webhooks with Go's standard library: go run receiver.go
// It appends each event to a file before it answers.
//
// HOST                         its address; default: 127.0.0.1. For a sandbox in a container: 0.0.0.0
// PORT                         its port; default: 4011
// SANDBANK_WEBHOOK_SECRET      the secret of the signatures
// SANDBANK_WEBHOOK_SECRET_OLD  the previous secret during a rotation; otherwise empty
// RECEIVER_FILE                the file of events; default: only in memory
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"unicode/utf8"
)

const bodyMaxBytes = 4_000_000

var open = map[string]bool{
	"INITIAL": true, "PENDING": true, "PENDING_AUTHORIZATION": true,
	"CREATED": true, "SCHEDULED": true, "ACCEPTED": true,
}

// fact is the content of an event: the status of an object at a time.
type fact struct{ id, status, at string }

type known struct {
	Status string `json:"status"`
	At     string `json:"at"`
	rank   string
}

type part struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	UpdatedAt string `json:"updatedAt"`
}

type event struct {
	part
	Event      string `json:"event"`
	Type       string `json:"type"`
	OccurredAt string `json:"occurredAt"`
	RefundID   string `json:"refundId"`
	Data       *struct {
		part
		Cancellation *part `json:"cancellation"`
	} `json:"data"`
}

type receiver struct {
	secrets []string
	file    *os.File
	lock    sync.Mutex
	handled map[string]bool
	objects map[string]known
}

// isSigned compares the digest of the received bytes in constant time. An empty secret is refused: anyone could sign with it.
func (r *receiver) isSigned(body []byte, header string) bool {
	matches := false
	for _, secret := range r.secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
		matches = hmac.Equal([]byte(expected), []byte(header)) || matches
	}
	return matches
}

// facts gives a refund and a cancellation as separate objects, next to their order or subscription.
func (e event) facts() []fact {
	at := first(e.OccurredAt, e.UpdatedAt)
	object := e.part
	if e.Data != nil {
		object = e.Data.part
	}
	found := []fact{{object.ID, object.Status, first(object.UpdatedAt, at)}}
	if e.Type == "REFUND" {
		found = []fact{{e.RefundID, e.Status, at}}
	}
	if e.Data != nil && e.Data.Cancellation != nil {
		found = append(found, fact{e.Data.Cancellation.ID, e.Data.Cancellation.Status, at})
	}
	return found
}

func first(one, other string) string {
	if one != "" {
		return one
	}
	return other
}

// key is the same for two deliveries of one event.
func (e event) key() string {
	return fmt.Sprint(e.Event, e.facts())
}

// apply stores the status of an event, unless a newer status is known.
func (r *receiver) apply(e event) {
	r.handled[e.key()] = true
	for _, f := range e.facts() {
		if f.id == "" || f.status == "" || f.at == "" {
			continue
		}
		// If two events have the same time, the final status is the later one.
		rank := f.at + " 1 " + e.Event
		if open[f.status] {
			rank = f.at + " 0 " + e.Event
		}
		if r.objects[f.id].rank < rank {
			r.objects[f.id] = known{f.status, f.at, rank}
		}
	}
}

func (r *receiver) take(body []byte, signature string) int {
	if !r.isSigned(body, signature) {
		return http.StatusUnauthorized
	}
	var line bytes.Buffer
	var e event
	var wrongType *json.UnmarshalTypeError
	if !utf8.Valid(body) || json.Compact(&line, body) != nil || line.Bytes()[0] != '{' {
		return http.StatusBadRequest
	}
	// A field of another type belongs to an event that this receiver does not know.
	if err := json.Unmarshal(body, &e); err != nil && !errors.As(err, &wrongType) {
		return http.StatusBadRequest
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.handled[e.key()] {
		return http.StatusOK
	}
	if r.file != nil {
		if _, err := r.file.Write(append(line.Bytes(), '\n')); err != nil || r.file.Sync() != nil {
			return http.StatusInternalServerError
		}
	}
	r.apply(e)
	return http.StatusOK
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	switch {
	case request.URL.Path == "/state" && request.Method == http.MethodGet:
		r.lock.Lock()
		defer r.lock.Unlock()
		answer(w, http.StatusOK, map[string]any{"objects": r.objects})
	case request.URL.Path != "/webhooks" && request.URL.Path != "/reset":
		answer(w, http.StatusNotFound, map[string]any{})
	case request.Method != http.MethodPost:
		answer(w, http.StatusMethodNotAllowed, map[string]any{})
	case request.URL.Path == "/reset":
		r.reset()
		answer(w, http.StatusOK, map[string]any{})
	default:
		body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, bodyMaxBytes))
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			answer(w, http.StatusRequestEntityTooLarge, map[string]any{})
		} else if err != nil {
			answer(w, http.StatusBadRequest, map[string]any{})
		} else {
			status := r.take(body, request.Header.Get("x-signature-sha256"))
			answer(w, status, map[string]any{"returnCode": "SUCCESS"})
		}
	}
}

func (r *receiver) reset() {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.handled, r.objects = map[string]bool{}, map[string]known{}
	if r.file != nil {
		if err := r.file.Truncate(0); err != nil {
			log.Fatal(err)
		}
	}
}

func answer(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("content-type", "application/json")
	w.WriteHeader(status)
	if status != http.StatusOK {
		body = map[string]any{}
	}
	_ = json.NewEncoder(w).Encode(body)
}

// load applies the events of the file and opens it for new events.
func (r *receiver) load(path string) {
	stored, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		log.Fatal(err)
	}
	for _, line := range bytes.Split(stored, []byte("\n")) {
		var e event
		if len(line) > 0 && json.Unmarshal(line, &e) == nil {
			r.apply(e)
		}
	}
	if r.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		log.Fatal(err)
	}
}

func main() {
	r := &receiver{handled: map[string]bool{}, objects: map[string]known{}}
	for _, name := range []string{"SANDBANK_WEBHOOK_SECRET", "SANDBANK_WEBHOOK_SECRET_OLD"} {
		if secret := os.Getenv(name); secret != "" {
			r.secrets = append(r.secrets, secret)
		}
	}
	if path := os.Getenv("RECEIVER_FILE"); path != "" {
		r.load(path)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(first(os.Getenv("HOST"), "127.0.0.1"), first(os.Getenv("PORT"), "4011")))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("receiver listening on http://%s/webhooks\n", listener.Addr())
	log.Fatal(http.Serve(listener, r))
}

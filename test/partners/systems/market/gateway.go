package main

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"
)

type gateway struct {
	lock      sync.Mutex
	spool     string
	sentFile  string
	sent      int
	wake      chan struct{}
	unspooled [][]byte
}

func newGateway() *gateway {
	g := &gateway{
		spool:    filepath.Join(data, "spool.jsonl"),
		sentFile: filepath.Join(data, "sent"),
		wake:     make(chan struct{}, 1),
	}
	if read, err := os.ReadFile(g.sentFile); err == nil {
		g.sent, _ = strconv.Atoi(string(read))
	}
	go g.forward()
	return g
}

func (g *gateway) routes(mux *http.ServeMux) {
	mux.HandleFunc("/healthz", g.health)
	mux.HandleFunc("/hooks", only("POST", g.hook))
	mux.HandleFunc("/withdrawals", only("POST", pass("/internal/withdrawals")))
	mux.HandleFunc("/jobs/close-day", only("POST", pass("/internal/close-day")))
	mux.HandleFunc("/test/reset", only("POST", g.reset))
}

// pass hands a request to the ledger, and its answer back.
func pass(path string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		status, answer, err := post(ledgerURL+path, body)
		if err != nil {
			reply(w, http.StatusServiceUnavailable, map[string]string{"error": err.Error()})
			return
		}
		reply(w, status, json.RawMessage(answer))
	}
}

func (g *gateway) health(w http.ResponseWriter, _ *http.Request) {
	answer, err := client.Get(ledgerURL + "/healthz")
	if err != nil {
		reply(w, http.StatusServiceUnavailable, map[string]string{"ledger": err.Error()})
		return
	}
	answer.Body.Close()
	reply(w, answer.StatusCode, map[string]bool{"ok": true})
}

func isSigned(body []byte, header string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hmac.Equal([]byte("sha256="+hex.EncodeToString(mac.Sum(nil))), []byte(header))
}

func (g *gateway) hook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4_000_000))
	if err != nil {
		reply(w, http.StatusRequestEntityTooLarge, nil)
		return
	}
	if flaw != "checks no signature" && !isSigned(body, r.Header.Get("X-Signature-SHA256")) {
		reply(w, http.StatusUnauthorized, map[string]string{"error": "signature"})
		return
	}
	var line bytes.Buffer
	if !utf8.Valid(body) || json.Compact(&line, body) != nil || line.Bytes()[0] != '{' {
		reply(w, http.StatusBadRequest, map[string]string{"error": "body"})
		return
	}
	if flaw == "spool in memory" {
		g.lock.Lock()
		g.unspooled = append(g.unspooled, line.Bytes())
		g.lock.Unlock()
	} else if err := g.append(line.Bytes()); err != nil {
		reply(w, http.StatusInternalServerError, map[string]string{"error": err.Error()})
		return
	}
	select {
	case g.wake <- struct{}{}:
	default:
	}
	reply(w, http.StatusOK, map[string]string{"returnCode": "SUCCESS"})
}

func (g *gateway) append(line []byte) error {
	g.lock.Lock()
	defer g.lock.Unlock()
	file, err := os.OpenFile(g.spool, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(append(line, '\n')); err != nil {
		return err
	}
	return file.Sync()
}

// forward hands spooled webhooks to the ledger, one after another, until the ledger has stored each of them.
func (g *gateway) forward() {
	for {
		select {
		case <-g.wake:
		case <-time.After(500 * time.Millisecond):
		}
		if flaw == "spool in memory" {
			time.Sleep(150 * time.Millisecond)
		}
		for _, line := range g.open() {
			status, _, err := post(ledgerURL+"/internal/events", line)
			if err != nil || status >= 500 {
				log.Print("forward: ", status, err)
				break
			}
			g.done()
		}
	}
}

// open returns the webhooks that the ledger does not have yet.
func (g *gateway) open() [][]byte {
	g.lock.Lock()
	defer g.lock.Unlock()
	if flaw == "spool in memory" {
		return append([][]byte{}, g.unspooled...)
	}
	file, err := os.Open(g.spool)
	if err != nil {
		return nil
	}
	defer file.Close()
	var lines [][]byte
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 5_000_000)
	for number := 0; scanner.Scan(); number++ {
		if number >= g.sent {
			lines = append(lines, append([]byte{}, scanner.Bytes()...))
		}
	}
	return lines
}

func (g *gateway) done() {
	g.lock.Lock()
	defer g.lock.Unlock()
	if flaw == "spool in memory" {
		g.unspooled = g.unspooled[1:]
		return
	}
	g.sent++
	if err := os.WriteFile(g.sentFile, []byte(strconv.Itoa(g.sent)), 0o600); err != nil {
		log.Print(err)
	}
}

func (g *gateway) reset(w http.ResponseWriter, r *http.Request) {
	g.lock.Lock()
	os.Remove(g.spool)
	os.Remove(g.sentFile)
	g.sent, g.unspooled = 0, nil
	g.lock.Unlock()
	pass("/internal/reset")(w, r)
}

package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

type withdrawal struct {
	Reference string    `json:"reference"`
	Cents     int64     `json:"cents"`
	Phase     string    `json:"phase"`
	Key       string    `json:"key"`
	BankID    string    `json:"bankId"`
	Asked     time.Time `json:"asked"`
	tries     int
	next      time.Time
}

type standing struct {
	Status string `json:"status"`
	At     string `json:"at"`
}

// entry is a line of the journal. After a start, the state comes from all lines.
type entry struct {
	Kind       string          `json:"kind"`
	Withdrawal *withdrawal     `json:"withdrawal,omitempty"`
	Event      json.RawMessage `json:"event,omitempty"`
	Fee        string          `json:"fee,omitempty"`
}

type ledger struct {
	lock        sync.Mutex
	journal     *os.File
	withdrawals map[string]*withdrawal
	byBankID    map[string]string
	early       map[string]string
	contracts   map[string]standing
	seen        map[string]bool
	fees        map[string]bool
	paidOut     int64
	token       string
}

func newLedger() *ledger {
	l := &ledger{token: "acme-token"}
	l.forget()
	path := filepath.Join(data, "journal.jsonl")
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	l.journal = file
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 5_000_000)
	for scanner.Scan() {
		var e entry
		// A kill can leave half of the last line.
		if json.Unmarshal(scanner.Bytes(), &e) == nil {
			l.apply(e)
		}
	}
	go l.pay()
	return l
}

func (l *ledger) forget() {
	l.withdrawals = map[string]*withdrawal{}
	l.byBankID = map[string]string{}
	l.early = map[string]string{}
	l.contracts = map[string]standing{}
	l.seen = map[string]bool{}
	l.fees = map[string]bool{}
	l.paidOut = 0
}

// record stores a line, then applies it.
func (l *ledger) record(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if flaw != "journal in memory" {
		if _, err := l.journal.Write(append(line, '\n')); err != nil {
			return err
		}
		if err := l.journal.Sync(); err != nil {
			return err
		}
	}
	l.apply(e)
	return nil
}

func (l *ledger) apply(e entry) {
	switch e.Kind {
	case "withdrawal":
		copied := *e.Withdrawal
		l.withdrawals[copied.Reference] = &copied
		if copied.BankID != "" {
			l.byBankID[copied.BankID] = copied.Reference
			if phase, ok := l.early[copied.BankID]; ok {
				copied.Phase = phase
			}
		}
	case "fee":
		l.fees[e.Fee] = true
	case "event":
		l.hear(e.Event)
	}
}

type content struct {
	ID        string `json:"id"`
	Code      string `json:"code"`
	Status    string `json:"status"`
	UpdatedAt string `json:"updatedAt"`
	RefundID  string `json:"refundId"`
	Amount    struct {
		Value string `json:"value"`
	} `json:"amount"`
	Cancellation struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	} `json:"cancellation"`
}

type event struct {
	content
	Event string   `json:"event"`
	Data  *content `json:"data"`
}

func (l *ledger) hear(raw json.RawMessage) {
	var e event
	// A field of another type belongs to an event that is of no interest here.
	_ = json.Unmarshal(raw, &e)
	c := e.content
	if e.Data != nil {
		c = *e.Data
	}
	mark := strings.Join([]string{e.Event, c.ID, c.Status, c.UpdatedAt, c.RefundID, c.Cancellation.ID, c.Cancellation.Status}, "|")
	if l.seen[mark] && flaw != "handles copies" {
		return
	}
	l.seen[mark] = true
	switch {
	case strings.HasPrefix(e.Event, "ORDER-PAYOUT."):
		phase := "failed"
		if c.Status == "PAID" {
			phase = "paid"
			value, _ := strconv.ParseFloat(c.Amount.Value, 64)
			cents := int64(value*100 + 0.5)
			if flaw == "books gross for net" {
				cents += 100
			}
			l.paidOut += cents
		}
		if reference, ok := l.byBankID[c.ID]; ok {
			l.withdrawals[reference].Phase = phase
		} else if flaw != "forgets what it does not know" {
			l.early[c.ID] = phase
		}
	case strings.HasPrefix(e.Event, "SUBSCRIPTION."):
		known, ok := l.contracts[c.ID]
		rank := c.UpdatedAt + " 0"
		if strings.Contains("CANCELED REJECTED ERROR COMPLETED", c.Status) {
			rank = c.UpdatedAt + " 1"
		}
		if !ok || known.At < rank || flaw == "last arrival wins" {
			l.contracts[c.ID] = standing{c.Status, rank}
		}
	}
}

func (l *ledger) routes(mux *http.ServeMux) {
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, nil) })
	mux.HandleFunc("/internal/events", only("POST", l.take))
	mux.HandleFunc("/internal/withdrawals", only("POST", l.withdraw))
	mux.HandleFunc("/internal/close-day", only("POST", l.closeDay))
	mux.HandleFunc("/internal/reset", only("POST", l.reset))
	mux.HandleFunc("/books", only("GET", l.books))
}

func (l *ledger) take(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	l.lock.Lock()
	defer l.lock.Unlock()
	if err := l.record(entry{Kind: "event", Event: body}); err != nil {
		reply(w, 500, map[string]string{"error": err.Error()})
		return
	}
	reply(w, 200, map[string]string{})
}

func newKey() string {
	bytes := make([]byte, 16)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	return hex.EncodeToString(bytes)
}

// add stores a withdrawal once.
func (l *ledger) add(reference string, cents int64) error {
	if l.withdrawals[reference] != nil {
		return nil
	}
	w := withdrawal{Reference: reference, Cents: cents, Phase: "open", Key: newKey(), Asked: time.Now()}
	return l.record(entry{Kind: "withdrawal", Withdrawal: &w})
}

func (l *ledger) withdraw(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Reference string `json:"reference"`
		Cents     int64  `json:"cents"`
	}
	if json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Reference == "" {
		reply(w, 422, map[string]string{"error": "reference"})
		return
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	if err := l.add(asked.Reference, asked.Cents); err != nil {
		reply(w, 500, map[string]string{"error": err.Error()})
		return
	}
	reply(w, 202, l.withdrawals[asked.Reference])
}

// closeDay pays the partner programme for each contract that is accepted, once.
func (l *ledger) closeDay(w http.ResponseWriter, _ *http.Request) {
	l.lock.Lock()
	defer l.lock.Unlock()
	for id, contract := range l.contracts {
		if contract.Status != "ACCEPTED" || l.fees[id] {
			continue
		}
		if err := l.record(entry{Kind: "fee", Fee: id}); err != nil {
			reply(w, 500, nil)
			return
		}
		if err := l.add("programme-"+id, 250); err != nil {
			reply(w, 500, nil)
			return
		}
	}
	reply(w, 200, map[string]string{})
}

func (l *ledger) books(w http.ResponseWriter, _ *http.Request) {
	l.lock.Lock()
	defer l.lock.Unlock()
	type row struct {
		Reference string    `json:"reference"`
		Cents     int64     `json:"cents"`
		Phase     string    `json:"phase"`
		Asked     time.Time `json:"asked"`
	}
	rows := []row{}
	for _, one := range l.withdrawals {
		rows = append(rows, row{one.Reference, one.Cents, one.Phase, one.Asked})
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i].Asked.Before(rows[j].Asked) })
	contracts := map[string]string{}
	for id, contract := range l.contracts {
		contracts[id] = contract.Status
	}
	reply(w, 200, map[string]any{"withdrawals": rows, "contracts": contracts, "paidOutCents": l.paidOut})
}

func (l *ledger) reset(w http.ResponseWriter, _ *http.Request) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if err := l.journal.Truncate(0); err != nil {
		reply(w, 500, nil)
		return
	}
	l.forget()
	reply(w, 200, map[string]string{})
}

// pay sends open withdrawals to the bank, one after another, until each has an answer that counts.
func (l *ledger) pay() {
	for {
		time.Sleep(100 * time.Millisecond)
		l.lock.Lock()
		due := []withdrawal{}
		for _, one := range l.withdrawals {
			if one.Phase == "open" && one.BankID == "" && time.Now().After(one.next) {
				due = append(due, *one)
			}
		}
		l.lock.Unlock()
		sort.Slice(due, func(i, j int) bool { return due[i].Asked.Before(due[j].Asked) })
		for _, one := range due {
			l.send(one)
		}
	}
}

func (l *ledger) send(one withdrawal) {
	key := one.Key
	if flaw == "new key for each try" {
		key = newKey()
	}
	status, id, pause := l.bank(one, key)
	l.lock.Lock()
	defer l.lock.Unlock()
	known := l.withdrawals[one.Reference]
	if known == nil {
		return
	}
	switch {
	case status >= 200 && status < 300:
		one.BankID = id
		if one.Phase == "open" {
			one.Phase = "sent"
		}
	case flaw == "gives up after 503" && status == 503,
		flaw == "gives up after 500" && status == 500,
		status >= 400 && status < 500 && status != 401 && status != 409 && status != 429:
		one.Phase = "failed"
	default:
		back := 200 * time.Millisecond << known.tries
		if back > 5*time.Second {
			back = 5 * time.Second
		}
		if pause > back {
			back = pause
		}
		known.tries++
		known.next = time.Now().Add(back)
		if known.tries < 12 {
			return
		}
		one.Phase = "failed"
	}
	if err := l.record(entry{Kind: "withdrawal", Withdrawal: &one}); err != nil {
		log.Print(err)
	}
}

// bank returns the status of a payout, its id, and the pause that the bank asks for. The status is 0 without an answer.
func (l *ledger) bank(one withdrawal, key string) (int, string, time.Duration) {
	body, _ := json.Marshal(map[string]any{
		"externalId":    one.Reference,
		"accountId":     "11111111-1111-4111-8111-111111111111",
		"paymentMethod": "PIX",
		"paymentData":   map[string]string{"pixKey": "ok@pix.example"},
		"amount":        map[string]string{"currency": "BRL", "value": fmt.Sprintf("%d.%02d", one.Cents/100, one.Cents%100)},
		"description":   one.Reference,
	})
	request, _ := http.NewRequest("POST", bankURL+"/order/v1/banking/order-payouts", bytes.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+l.token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	answer, err := client.Do(request)
	if err != nil {
		return 0, "", 0
	}
	defer answer.Body.Close()
	var payout struct {
		ID string `json:"id"`
	}
	if answer.StatusCode < 300 && json.NewDecoder(answer.Body).Decode(&payout) != nil {
		return 0, "", 0
	}
	if answer.StatusCode == 401 {
		l.renewToken()
	}
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	return answer.StatusCode, payout.ID, time.Duration(seconds) * time.Second
}

func (l *ledger) renewToken() {
	form := "grant_type=client_credentials&client_id=acme&client_secret=acme-secret&scope=api://app-order-prd"
	answer, err := client.Post(bankURL+"/oauth2/v2.0/token", "application/x-www-form-urlencoded", strings.NewReader(form))
	if err != nil {
		return
	}
	defer answer.Body.Close()
	var issued struct {
		Token string `json:"access_token"`
	}
	if json.NewDecoder(answer.Body).Decode(&issued) == nil && issued.Token != "" {
		l.token = issued.Token
	}
}

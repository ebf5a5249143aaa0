// A market place pays its sellers. Two processes: the gateway faces the world, and the ledger keeps the books.
//
//	market gateway   takes withdrawals and webhooks; webhooks go to a spool file, then to the ledger
//	market ledger    keeps sellers and withdrawals in a journal file, and pays them at the bank
//
// SANDBANK_URL   the bank
// PORT           the port of the gateway; the ledger has LEDGER_PORT
// DATA           the folder of the files
// FLAW           a mistake that developers make; empty for none
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

var (
	bankURL    = env("SANDBANK_URL", "http://127.0.0.1:4010")
	port       = env("PORT", "5013")
	ledgerPort = env("LEDGER_PORT", "5014")
	ledgerURL  = "http://127.0.0.1:" + ledgerPort
	data       = env("DATA", ".")
	secret     = env("WEBHOOK_SECRET", "acme-webhook-secret")
	flaw       = os.Getenv("FLAW")
)

var client = &http.Client{Timeout: 10 * time.Second}

func env(name, preset string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return preset
}

func reply(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(value); err != nil {
		log.Print(err)
	}
}

// post sends JSON and returns the status and the body of the answer.
func post(url string, body []byte) (int, []byte, error) {
	answer, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	return answer.StatusCode, read, err
}

func only(method string, handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != method {
			reply(w, http.StatusMethodNotAllowed, nil)
			return
		}
		handle(w, r)
	}
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("market gateway, or market ledger")
	}
	mux := http.NewServeMux()
	address := "127.0.0.1:" + port
	switch os.Args[1] {
	case "gateway":
		newGateway().routes(mux)
	case "ledger":
		address = "127.0.0.1:" + ledgerPort
		newLedger().routes(mux)
	default:
		log.Fatal(fmt.Sprint("unknown: ", os.Args[1]))
	}
	log.Fatal(http.ListenAndServe(address, mux))
}

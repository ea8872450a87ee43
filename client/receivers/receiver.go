// A webhook receiver in Go: verifies the bytes as they came, answers 400 with the reason, takes every event once.
//
//	WEBHOOK_SECRETS=whsec_… PORT=8090 go run receiver.go        (old,new while one secret replaces the other)
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	toleranceS   = 300
	bodyBytesMax = 1024 * 1024
)

var (
	visible   = regexp.MustCompile(`^[\x21-\x7e]+$`)
	unixTime  = regexp.MustCompile(`^(0|[1-9][0-9]{0,11})$`)
	signature = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// Deliveries repeat when an answer was lost. Keep the ids where your data is, and for longer than this process lives.
var (
	taken = map[string]bool{}
	lock  sync.Mutex
)

type event struct {
	ID   string          `json:"id"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

func take(e event) {
	lock.Lock()
	defer lock.Unlock()
	if taken[e.ID] {
		return
	}
	taken[e.ID] = true
	fmt.Println(e.Type, e.ID)
}

// problemOf says why the webhook must not be believed, or nothing. headers is every Svc-Signature there is.
func problemOf(body []byte, headers []string, secrets []string, now int64) string {
	if len(headers) != 1 {
		return "malformed_header"
	}
	timestamp, signatures, ok := parse(headers[0])
	if !ok {
		return "malformed_header"
	}
	matched := false
	for _, secret := range secrets {
		// The whole secret is the key, and the header's own digits are what is signed.
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(timestamp + "."))
		mac.Write(body)
		expected := mac.Sum(nil)
		for _, one := range signatures {
			if hmac.Equal(expected, one) {
				matched = true
			}
		}
	}
	if !matched {
		return "invalid_signature"
	}
	at, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now-at > toleranceS || at-now > toleranceS {
		return "timestamp_out_of_tolerance"
	}
	return ""
}

// parse takes `t=<unix>,v1=<hex>[,v1=<hex>]` apart. Parts of other schemes are skipped.
func parse(header string) (timestamp string, signatures [][]byte, ok bool) {
	if len(header) > 1024 || !visible.MatchString(header) {
		return "", nil, false
	}
	for _, part := range strings.Split(header, ",") {
		equals := strings.Index(part, "=")
		if equals < 1 {
			return "", nil, false
		}
		name, value := part[:equals], part[equals+1:]
		switch name {
		case "t":
			if timestamp != "" || !unixTime.MatchString(value) {
				return "", nil, false
			}
			timestamp = value
		case "v1":
			if len(signatures) == 8 || !signature.MatchString(value) {
				return "", nil, false
			}
			bytes, err := hex.DecodeString(value)
			if err != nil {
				return "", nil, false
			}
			signatures = append(signatures, bytes)
		}
	}
	return timestamp, signatures, timestamp != "" && len(signatures) > 0
}

func answer(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func main() {
	var secrets []string
	for _, secret := range strings.Split(os.Getenv("WEBHOOK_SECRETS"), ",") {
		if secret != "" {
			secrets = append(secrets, secret)
		}
	}
	if len(secrets) == 0 {
		log.Fatal("WEBHOOK_SECRETS is missing")
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyBytesMax))
		if err != nil {
			answer(w, http.StatusRequestEntityTooLarge, map[string]any{"error": "body_too_large"})
			return
		}
		problem := problemOf(body, r.Header.Values("Svc-Signature"), secrets, time.Now().Unix())
		if problem != "" {
			answer(w, http.StatusBadRequest, map[string]any{"error": problem})
			return
		}
		var e event
		if err := json.Unmarshal(body, &e); err != nil {
			answer(w, http.StatusInternalServerError, map[string]any{"error": "internal_error"})
			return
		}
		// Long work belongs behind a queue: an answer is waited for 15 seconds.
		take(e)
		answer(w, http.StatusOK, map[string]any{"received": true})
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "8090"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}

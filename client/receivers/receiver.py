"""A webhook receiver in Python: verifies the bytes as they came, answers 400 with the reason, takes every event once.

  WEBHOOK_SECRETS=whsec_… PORT=8090 python3 receiver.py        (old,new while one secret replaces the other)
"""

import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRETS = [secret for secret in os.environ.get("WEBHOOK_SECRETS", "").split(",") if secret]
TOLERANCE_S = 300
BODY_BYTES_MAX = 1024 * 1024

# Deliveries repeat when an answer was lost. Keep the ids where your data is, and for longer than this process lives.
taken = set()


def take(event):
    if event["id"] in taken:
        return
    taken.add(event["id"])
    print(event["type"], event["id"], flush=True)


def problem_of(body, headers, now):
    """Why the webhook must not be believed, or None. `headers`: every Svc-Signature there is."""
    parsed = parse(headers[0]) if len(headers) == 1 else None
    if parsed is None:
        return "malformed_header"
    timestamp, signatures = parsed
    matched = False
    for secret in SECRETS:
        # The whole secret is the key, and the header's own digits are what is signed.
        expected = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        for signature in signatures:
            matched |= hmac.compare_digest(expected, signature)
    if not matched:
        return "invalid_signature"
    if abs(now - int(timestamp)) > TOLERANCE_S:
        return "timestamp_out_of_tolerance"
    return None


def parse(header):
    """(t, every v1) of `t=<unix>,v1=<hex>[,v1=<hex>]`, or None. Parts of other schemes are skipped."""
    if len(header) > 1024 or not re.fullmatch(r"[\x21-\x7e]+", header):
        return None
    times, signatures = [], []
    for part in header.split(","):
        name, equals, value = part.partition("=")
        if not name or not equals:
            return None
        if name == "t":
            times.append(value)
        elif name == "v1":
            signatures.append(value)
    if len(times) != 1 or not re.fullmatch(r"0|[1-9][0-9]{0,11}", times[0]):
        return None
    if not 1 <= len(signatures) <= 8 or not all(re.fullmatch(r"[0-9a-f]{64}", one) for one in signatures):
        return None
    return times[0], signatures


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"[0-9]{1,9}", length):
            self.close_connection = True
            return self.answer(411, {"error": "length_required"})
        if int(length) > BODY_BYTES_MAX:
            self.close_connection = True
            return self.answer(413, {"error": "body_too_large"})
        body = self.rfile.read(int(length))
        problem = problem_of(body, self.headers.get_all("Svc-Signature", []), int(time.time()))
        if problem is not None:
            return self.answer(400, {"error": problem})
        # Long work belongs behind a queue: an answer is waited for 15 seconds.
        take(json.loads(body))
        self.answer(200, {"received": True})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if not SECRETS:
        raise SystemExit("WEBHOOK_SECRETS is missing")
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8090"))), Receiver)
    print(f"listening on http://127.0.0.1:{server.server_address[1]}/", flush=True)
    server.serve_forever()

-- A new program suspends a card after five wrong security codes within an hour, as three wrong PINs
-- in a row stop it. Programs of before keep their rules.
alter table programs alter column fraud_rules set default '[
  {"name": "card_testing", "state": "draft", "count": 10, "seconds": 60, "amount_cents": 500},
  {"name": "cvc_failures", "state": "active", "count": 5, "seconds": 3600, "amount_cents": null},
  {"name": "pin_failures", "state": "draft", "count": 5, "seconds": 3600, "amount_cents": null}
]';

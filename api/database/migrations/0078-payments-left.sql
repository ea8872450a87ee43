-- As 0052, for holds that end: the rest of a payment ends also where a part of it has landed, was
-- refunded, is in flight or has failed.
create index on payments (expires_at)
  where captured_cents + capture_pending_cents + capture_failed_cents + voided_cents < amount_cents
    and status not in ('deciding', 'risk_declined');

-- As 0052, for operators, who read withdrawals of all tenants, and for the few that their holders
-- may still approve among all that were left alone. Only writes of withdrawals keep them.
create index on payment_withdrawals (status, id);
create index on payment_withdrawals (confirmation_expires_at) where status = 'needs_confirmation';

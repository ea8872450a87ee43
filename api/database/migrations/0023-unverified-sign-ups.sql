-- Sign-ups whose address was never confirmed: a job removes them after thirty days.

create index identities_unverified on identities (created_at)
  where verified_at is null and state = 'active';

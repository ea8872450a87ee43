-- Most questions are ordinary purchases; a list of the others finds them without looking at those.
create index on card_transactions (tenant_id, environment, kind, seq) where kind <> 'initial';

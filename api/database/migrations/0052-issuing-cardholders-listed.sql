-- A list with a filter that matches few rows among many read all rows of its owner until it had found
-- a page. Rare values only: a list of the others finds enough rows on its way.
create index on cardholders (tenant_id, environment, status, id) where status <> 'active';

-- Types of the rows of a span, so that a list of a frequent type passes over spans without it: no
-- index has these types, because its entries would cost every event. Null: any type. A job makes
-- the spans of events anew, a thousand in some seconds; meanwhile lists read as before.
alter table created_spans add column types text[];
delete from created_spans where list = 'events';

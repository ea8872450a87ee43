-- A pace counts sends and no longer events: its moments are those until which the latest permits can be used. How many events
-- were fanned out in the current tenth of a second is kept beside them.
alter table fan_out_pace add column fan_out_step bigint not null default 0;
alter table fan_out_pace add column fanned_out integer not null default 0;

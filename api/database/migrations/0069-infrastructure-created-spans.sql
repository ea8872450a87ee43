-- Spans of a list that is ordered by numbers, with the moments of their rows. Rows may arrive late,
-- so moments do not ascend with the numbers: a filter by moments reads the spans that can match. A
-- span is made once its numbers are given; its rows keep their moments, and may go.
create table created_spans (
  -- Table of the list.
  list          text not null,
  tenant_id     text not null,
  environment   text not null,
  first_seq     bigint not null,
  last_seq      bigint not null,
  -- Earliest and latest `created_at`; the latest comes before the earliest in a span without rows.
  created_from  bigint not null,
  created_to    bigint not null,
  primary key (list, tenant_id, environment, first_seq)
);

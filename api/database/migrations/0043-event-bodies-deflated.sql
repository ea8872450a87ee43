-- Bodies of card transactions are stored deflated from here on; those that are stored stay as they are. A release that does not
-- know it would send them as they are.
comment on column events.body is
  'The exact bytes every delivery sends and signs, or, where the first byte is 1, these deflated against a dictionary of the release';

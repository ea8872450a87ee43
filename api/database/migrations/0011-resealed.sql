-- As before, but a card whose number was only sealed anew stays the version it is: what hangs on that, such as the tries of a
-- PIN that was wrong too often, is the tenant's to renew.
create or replace function config_version() returns trigger language plpgsql as $$
declare
  fresh jsonb := to_jsonb(new);
  held  jsonb := case when tg_op = 'UPDATE' then to_jsonb(old) end;
begin
  if tg_op = 'UPDATE' then
    if fresh -> 'sealed_pan' is not distinct from held -> 'sealed_pan' or fresh - 'sealed_pan' <> held - 'sealed_pan' then
      new.version := old.version + 1;
    end if;
  else
    new.version := 1 + coalesce((
      select max(version) from config_change
      where type = tg_argv[0] and id = fresh ->> tg_argv[1] and removed
    ), 0);
  end if;
  return new;
end $$;

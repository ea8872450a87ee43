-- Ids of messages are a network's own, whatever the environment: so a name belongs to one of them.
create function one_environment_per_network() returns trigger language plpgsql as $$
begin
  if exists (
    select from network_keys where network = new.network and environment <> new.environment
  ) then
    raise exception 'the network % is one of the other environment already', new.network
      using errcode = 'unique_violation';
  end if;
  return new;
end $$;
create trigger one_environment before insert or update of network, environment on network_keys
  for each row execute function one_environment_per_network();

-- The redirect address that the person agreed to, without the port where a native app listens on its
-- own machine. Null: agreed to before this column, and the person is asked again.
alter table oauth_grants add column redirect_uri text;

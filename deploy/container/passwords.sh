#!/bin/sh
# Run by the image of PostgreSQL at its first start, after roles.sql: the passwords of postgres.env.
set -eu
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
\getenv migrate SVC_MIGRATE_PASSWORD
\getenv api SVC_API_PASSWORD
\getenv link SVC_LINK_PASSWORD
\getenv dispatcher SVC_DISPATCHER_PASSWORD
\getenv settler SVC_SETTLER_PASSWORD
\getenv backup SVC_BACKUP_PASSWORD
alter role svc_migrate password :'migrate';
alter role svc_api password :'api';
alter role svc_link password :'link';
alter role svc_dispatcher password :'dispatcher';
alter role svc_settler password :'settler';
alter role svc_backup password :'backup';
SQL

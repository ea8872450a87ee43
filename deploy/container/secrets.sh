#!/bin/sh
# Makes the secrets of compose.yaml in this folder, once: a password for each role of PostgreSQL, the
# address of each process with it, and svc.env with a master key. Files have mode 0600; none is ever
# overwritten, and neither Git nor the image takes them.
set -eu
cd "$(dirname "$0")"
umask 077
for file in svc postgres migrate api dispatcher settler backup; do
  [ ! -e "$file.env" ] || { echo "$file.env is there already; nothing was made." >&2; exit 1; }
done
random() { openssl rand -hex 24; }
address() { echo "postgres://svc_$1:$2@postgres:5432/svc"; }

migrate=$(random) api=$(random) link=$(random) dispatcher=$(random) settler=$(random) backup=$(random)
cat > postgres.env <<EOF
POSTGRES_PASSWORD=$(random)
SVC_MIGRATE_PASSWORD=$migrate
SVC_API_PASSWORD=$api
SVC_LINK_PASSWORD=$link
SVC_DISPATCHER_PASSWORD=$dispatcher
SVC_SETTLER_PASSWORD=$settler
SVC_BACKUP_PASSWORD=$backup
EOF
echo "DATABASE_URL=$(address migrate "$migrate")" > migrate.env
echo "DATABASE_URL=$(address api "$api")
SVC_LINK_DATABASE_URL=$(address link "$link")" > api.env
echo "DATABASE_URL=$(address dispatcher "$dispatcher")" > dispatcher.env
echo "DATABASE_URL=$(address settler "$settler")" > settler.env
echo "DATABASE_URL=$(address backup "$backup")" > backup.env
key="$(date -u +%Y%m%d):$(openssl rand -base64 32)"
sed "s|^SVC_MASTER_KEY=.*|SVC_MASTER_KEY=$key|" svc.env.example > svc.env
echo 'Made svc.env and the addresses of the roles. Now edit svc.env, and keep a copy of SVC_MASTER_KEY elsewhere.'

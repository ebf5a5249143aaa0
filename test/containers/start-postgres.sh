#!/bin/sh
# Begins an empty database cluster as the image postgres does, and runs it.
set -e
bin=$(echo /usr/lib/postgresql/*/bin)
data=/tmp/data
"$bin/initdb" -D $data -U "$POSTGRES_USER" --auth=trust >/dev/null
echo "host all all all trust" >>$data/pg_hba.conf
"$bin/pg_ctl" -D $data -o "-c listen_addresses='' -k /tmp" -w start >/dev/null
"$bin/createdb" -h /tmp -U "$POSTGRES_USER" "$POSTGRES_USER"
"$bin/pg_ctl" -D $data -m fast -w stop >/dev/null
exec "$bin/postgres" -D $data -c listen_addresses='*' -k /tmp

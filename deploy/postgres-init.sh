#!/bin/sh
# Makes the role and the database of the service in a new volume of compose.yaml. The role owns its tables and is no superuser: whoever came to use its
# connection could run programs on the database's host otherwise. The image runs it once, as the superuser.
set -e
# On a line of its own: a file that can't be read ends the script there, in place of a role without a password.
password=$(cat "${DATABASE_PASSWORD_FILE:-/run/secrets/database_password}")
# In the environment of psql, and not in its arguments, which everybody on the host can read.
DATABASE_PASSWORD="$password" psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv password DATABASE_PASSWORD
create role ramz login password :'password';
create database ramz owner ramz;
SQL

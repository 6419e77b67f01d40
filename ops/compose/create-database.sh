#!/bin/sh
# Runs once, when the PostgreSQL image creates its data folder. The role owns the database and is not a superuser, so
# that row-level security applies to it.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$DATABASE_PASSWORD" --username="$POSTGRES_USER" --dbname=postgres <<'SQL'
create role latchkey login password :'password';
create database latchkey owner latchkey;
SQL

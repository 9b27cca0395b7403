-- What the service may do. To be run once in its database, by the owner of the tables, before the first `npm run migrate` or after it:
--   psql "postgres://ramz_owner@host/ramz" -f deploy/grants.sql

grant usage on schema public to ramz_service;

-- Databases made by PostgreSQL 14 or older let everybody put functions there, and those with the owner's rights could meet them.
revoke create on schema public from public;

-- What is there already.
grant select, insert, update, delete on all tables in schema public to ramz_service;
grant usage on all sequences in schema public to ramz_service;
grant execute on all functions in schema public to ramz_service;

-- What later migrations make. Three functions have the rights of the owner, to make and drop partitions and to delete old events of the audit log:
-- nobody else may call them.
alter default privileges in schema public grant select, insert, update, delete on tables to ramz_service;
alter default privileges in schema public grant usage on sequences to ramz_service;
alter default privileges in schema public grant execute on functions to ramz_service;

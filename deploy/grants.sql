-- What the service may do. To be run once in its database, by the owner of the tables, before the first `npm run migrate` or after it:
--   psql -v ON_ERROR_STOP=1 "postgres://ramz_owner@host/ramz" -f deploy/grants.sql

grant usage on schema public to ramz_service;

-- Databases made by PostgreSQL 14 or older let everybody put functions there, and statements of the owner could meet them.
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

-- Only the owner of the schema can take that right from everybody; done by another role, the `revoke` above is no more than a warning.
do $$
begin
  if has_schema_privilege('public', 'public', 'create') then
    raise exception 'everybody may create objects in the schema public still, because % does not own it', current_user
      using hint = format('As a superuser, in this database: alter schema public owner to %I. Then run deploy/grants.sql again.', current_user);
  end if;
end $$;

-- The roles of the service and its database. To be run once, by a role that may make roles and databases; it need not be a superuser:
--   psql -d postgres -f deploy/roles.sql
-- Then give both roles a password (\password ramz_owner), and run deploy/grants.sql in the new database.

-- Owns the tables. Only `npm run migrate` uses it.
create role ramz_owner login;

-- Reads and writes rows, and nothing else. `serve` uses it.
create role ramz_service login;

-- To make a database for another role one has to be a member of it.
grant ramz_owner to current_user;

-- On a server that was made without a locale the template would have another encoding.
create database ramz owner ramz_owner encoding 'UTF8' template template0;

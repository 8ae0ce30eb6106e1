-- name: LockMigrations :exec
-- Of several nodes that start at once one migrates, and the others wait for it.
SELECT pg_advisory_lock(sqlc.arg(id));

-- name: UnlockMigrations :exec
SELECT pg_advisory_unlock(sqlc.arg(id));

-- name: CanWrite :one
-- A standby can only be read.
SELECT CAST(current_setting('transaction_read_only') = 'off' AS BOOLEAN);

-- name: CountTables :one
-- The tables of the schema into which ours would be made.
SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema();

-- name: CountTablesCalled :one
SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = CAST(sqlc.arg(name) AS TEXT);

-- name: MayCreateTables :one
-- Whether its user may make tables where ours would be.
SELECT CAST(coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS BOOLEAN) AS may;

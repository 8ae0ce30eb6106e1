-- name: LockMigrations :exec
-- LockMigrations waits for a lock, so that only one node migrates at a time.
SELECT pg_advisory_lock(sqlc.arg(id));

-- name: UnlockMigrations :exec
SELECT pg_advisory_unlock(sqlc.arg(id));

-- name: CanWrite :one
-- CanWrite reports false for a standby, which is read-only.
SELECT CAST(current_setting('transaction_read_only') = 'off' AS BOOLEAN);

-- name: CountTables :one
-- CountTables counts the tables in the schema that is for our tables.
SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema();

-- name: CountTablesCalled :one
SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = CAST(sqlc.arg(name) AS TEXT);

-- name: MayCreateTables :one
-- MayCreateTables reports whether the user may create our tables.
SELECT CAST(coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS BOOLEAN) AS may;

-- name: ForeignCode :many
-- ForeignCode finds everything that would execute foreign code or hide rows when our tables are
-- used: triggers, rules, row security, foreign functions and types. It skips the objects that
-- PostgreSQL creates for our own statements. The names of our tables are separated by commas.
WITH ours AS (
    SELECT c.oid, c.relname, c.relrowsecurity FROM pg_catalog.pg_class AS c
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relname = ANY (string_to_array(CAST(sqlc.arg(tables) AS TEXT), ','))
), calls AS (
    SELECT objid, classid, refobjid FROM pg_catalog.pg_depend WHERE refclassid = CAST('pg_proc' AS regclass)
), found AS (
    SELECT 'trigger ' || t.tgname || ' on table ' || ours.relname AS what
    FROM pg_catalog.pg_trigger AS t JOIN ours ON ours.oid = t.tgrelid WHERE NOT t.tgisinternal
    UNION ALL SELECT 'rule ' || r.rulename || ' on table ' || ours.relname
    FROM pg_catalog.pg_rewrite AS r JOIN ours ON ours.oid = r.ev_class
    UNION ALL SELECT 'row security of table ' || ours.relname FROM ours WHERE ours.relrowsecurity
    UNION ALL SELECT 'default of column ' || a.attname || ' of table ' || ours.relname || ', which calls ' || CAST(CAST(calls.refobjid AS regprocedure) AS TEXT)
    FROM pg_catalog.pg_attrdef AS d JOIN ours ON ours.oid = d.adrelid JOIN calls ON calls.classid = CAST('pg_attrdef' AS regclass) AND calls.objid = d.oid
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
    UNION ALL SELECT 'constraint ' || k.conname || ' of table ' || ours.relname || ', which calls ' || CAST(CAST(calls.refobjid AS regprocedure) AS TEXT)
    FROM pg_catalog.pg_constraint AS k JOIN ours ON ours.oid = k.conrelid JOIN calls ON calls.classid = CAST('pg_constraint' AS regclass) AND calls.objid = k.oid
    UNION ALL SELECT 'index ' || x.relname || ' of table ' || ours.relname || ', which calls ' || CAST(CAST(calls.refobjid AS regprocedure) AS TEXT)
    FROM pg_catalog.pg_index AS i JOIN ours ON ours.oid = i.indrelid JOIN pg_catalog.pg_class AS x ON x.oid = i.indexrelid
    JOIN calls ON calls.classid = CAST('pg_class' AS regclass) AND calls.objid = i.indexrelid
    UNION ALL SELECT 'type of column ' || a.attname || ' of table ' || ours.relname
    FROM pg_catalog.pg_attribute AS a JOIN ours ON ours.oid = a.attrelid JOIN pg_catalog.pg_type AS y ON y.oid = a.atttypid
    JOIN pg_catalog.pg_namespace AS n ON n.oid = y.typnamespace WHERE a.attnum > 0 AND n.nspname <> 'pg_catalog'
)
SELECT CAST(what AS TEXT) FROM found ORDER BY what LIMIT 1;

-- name: OwnFunctions :many
-- OwnFunctions returns the bodies of the functions that have the names of ours. The names are
-- separated by commas.
SELECT CAST(p.proname AS TEXT) AS name, p.prosrc AS body FROM pg_catalog.pg_proc AS p
JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = current_schema() AND p.proname = ANY (string_to_array(CAST(sqlc.arg(functions) AS TEXT), ','));

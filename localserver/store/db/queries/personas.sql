-- name: UserIs :one
SELECT CAST(count(*) AS BIGINT) FROM users
WHERE id = sqlc.arg(id) AND email = sqlc.arg(email) AND display_name = sqlc.arg(display_name);

-- name: UpsertUser :exec
INSERT INTO users (id, email, display_name)
VALUES (sqlc.arg(id), sqlc.arg(email), sqlc.arg(display_name))
ON CONFLICT (id) DO UPDATE SET email = excluded.email, display_name = excluded.display_name;

-- name: VisiblePersona :one
SELECT * FROM personas
WHERE id = sqlc.arg(id) AND (public OR owner_id = sqlc.arg(viewer));

-- name: VisibleSingle :one
-- VisibleSingle returns a persona with one member of its document.
SELECT p.id, p.owner_id, p.public, p.name, p.description, p.created_at, p.updated_at,
    CAST(CAST(v.doc AS JSON) ->> 'persona_identity_prompt' AS TEXT) AS prompt
FROM personas p JOIN persona_versions v ON v.persona_id = p.id AND v.version = p.version
WHERE p.id = sqlc.arg(id) AND (p.public OR p.owner_id = sqlc.arg(viewer));

-- name: OwnPersona :one
SELECT * FROM personas
WHERE id = sqlc.arg(id) AND owner_id = sqlc.arg(owner);

-- name: InsertPersona :exec
INSERT INTO personas (id, owner_id, public, version, name, description, created_at, updated_at)
VALUES (sqlc.arg(id), sqlc.arg(owner_id), FALSE, sqlc.arg(version), sqlc.arg(name), sqlc.arg(description), sqlc.arg(created_at), sqlc.arg(updated_at));

-- name: UpdatePersona :exec
UPDATE personas
SET version = sqlc.arg(version), name = sqlc.arg(name), description = sqlc.arg(description), updated_at = sqlc.arg(updated_at)
WHERE id = sqlc.arg(id) AND owner_id = sqlc.arg(owner);

-- name: PublishPersona :execrows
UPDATE personas SET public = TRUE
WHERE id = sqlc.arg(id) AND owner_id = sqlc.arg(owner);

-- name: DropPlayers :exec
-- DropPlayers deletes the players of a persona with their sessions, which refer to its versions.
DELETE FROM players
WHERE persona_id = sqlc.arg(persona_id)
  AND EXISTS (SELECT 1 FROM personas p WHERE p.id = sqlc.arg(persona_id) AND p.owner_id = sqlc.arg(owner));

-- name: DeletePersona :execrows
DELETE FROM personas
WHERE id = sqlc.arg(id) AND owner_id = sqlc.arg(owner);

-- name: InsertVersion :exec
INSERT INTO persona_versions (persona_id, version, doc)
VALUES (sqlc.arg(persona_id), sqlc.arg(version), sqlc.arg(doc));

-- name: Version :one
SELECT doc FROM persona_versions
WHERE persona_id = sqlc.arg(persona_id) AND version = sqlc.arg(version);

-- name: VersionSize :one
SELECT CAST(octet_length(doc) AS BIGINT) AS bytes FROM persona_versions
WHERE persona_id = sqlc.arg(persona_id) AND version = sqlc.arg(version);

-- name: DropVersions :exec
DELETE FROM persona_versions
WHERE persona_versions.persona_id = sqlc.arg(persona_id)
  AND persona_versions.version <> (SELECT p.version FROM personas p WHERE p.id = persona_versions.persona_id)
  AND NOT EXISTS (
    SELECT 1 FROM sessions s
    WHERE s.persona_id = persona_versions.persona_id AND s.version = persona_versions.version
  );

-- name: KeepMachine :exec
INSERT INTO machines (id, persona_id, machine_key)
VALUES (sqlc.arg(id), sqlc.arg(persona_id), sqlc.arg(machine_key))
ON CONFLICT (persona_id, machine_key) DO NOTHING;

-- name: Machines :many
SELECT id, machine_key FROM machines WHERE persona_id = sqlc.arg(persona_id);

-- name: OwnPersonas :many
SELECT * FROM personas
WHERE owner_id = sqlc.arg(viewer) AND (public OR NOT CAST(sqlc.arg(public_only) AS BOOLEAN))
  AND created_at <= sqlc.arg(before) AND (created_at < sqlc.arg(before) OR id < sqlc.arg(before_id))
ORDER BY created_at DESC, id DESC
LIMIT CAST(sqlc.arg(top) AS BIGINT);

-- name: PublicPersonas :many
SELECT * FROM personas
WHERE public = TRUE
  AND created_at <= sqlc.arg(before) AND (created_at < sqlc.arg(before) OR id < sqlc.arg(before_id))
ORDER BY created_at DESC, id DESC
LIMIT CAST(sqlc.arg(top) AS BIGINT);

-- name: VisiblePersonas :many
SELECT * FROM personas
WHERE (public OR owner_id = sqlc.arg(viewer))
  AND created_at <= sqlc.arg(before) AND (created_at < sqlc.arg(before) OR id < sqlc.arg(before_id))
ORDER BY created_at DESC, id DESC
LIMIT CAST(sqlc.arg(top) AS BIGINT);

-- name: CountOwnPersonas :one
SELECT count(*) FROM personas
WHERE owner_id = sqlc.arg(viewer) AND (public OR NOT CAST(sqlc.arg(public_only) AS BOOLEAN));

-- name: CountPublicPersonas :one
SELECT count(*) FROM personas WHERE public = TRUE;

-- name: CountVisiblePersonas :one
SELECT count(*) FROM personas WHERE public OR owner_id = sqlc.arg(viewer);

-- name: HasPersona :one
SELECT count(*) FROM (SELECT 1 FROM personas LIMIT 1) AS one;

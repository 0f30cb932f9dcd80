-- The vectors as pgvector compares them, beside the packed ones, which stay what is written and moved. Where the extension cannot
-- be had nothing is made, and the vectors are compared by whoever asks; run again when the database is opened by its owner.
-- A packed vector is four bytes of its length and one signed byte a number: half precision holds those exactly.
DO $migration$
BEGIN
    IF to_regtype('halfvec') IS NULL THEN
        IF NOT EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector') THEN
            RETURN;
        END IF;
        BEGIN
            CREATE EXTENSION IF NOT EXISTS vector;
        EXCEPTION WHEN insufficient_privilege THEN
            RETURN;  -- an administrator has to make it
        END;
    END IF;
    IF to_regtype('halfvec') IS NULL THEN
        RETURN;  -- older than 0.7
    END IF;
    CREATE OR REPLACE FUNCTION diarist_meaning(packed BYTEA) RETURNS halfvec LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $function$
        SELECT CASE WHEN octet_length(packed) BETWEEN 5 AND 16004 THEN (
            SELECT array_agg(((get_byte(packed, place) # 128) - 128)::real ORDER BY place)
            FROM generate_series(4, octet_length(packed) - 1) place
        )::real[]::halfvec END
    $function$;
    ALTER TABLE embeddings ADD COLUMN IF NOT EXISTS meaning halfvec GENERATED ALWAYS AS (diarist_meaning(vector)) STORED;
END
$migration$;

-- Extensions, and the column and indexes that need them; a Postgres that has not got one keeps everything else. Last, the
-- setting of the database that its statements need.
--
-- pgvector: search by meaning. Posts on one subject lie close together, and with few links between them (m) the index
-- loses sight of whole subjects.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') THEN
    CREATE EXTENSION IF NOT EXISTS vector;
    ALTER TABLE viral_posts ADD COLUMN embedding halfvec(384);
    CREATE INDEX viral_posts_meaning ON viral_posts USING hnsw (embedding halfvec_cosine_ops)
      WITH (m = 32, ef_construction = 128);
  END IF;
END $$;
--> statement-breakpoint
-- pg_trgm: handles and product names are searched by any part of them; without trigrams those filters read every post.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') THEN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX viral_posts_account ON viral_posts USING gin (account gin_trgm_ops);
    CREATE INDEX viral_posts_product ON viral_posts USING gin (product_name gin_trgm_ops);
  END IF;
END $$;
--> statement-breakpoint
-- Statements here are short, and compiling one (jit) takes longer than it saves: 200 summaries of a year take 50 s with it
-- and 13 s without. Applies to new connections. https://www.postgresql.org/docs/current/jit-decision.html, 2026-11-24
DO $$
BEGIN
  EXECUTE format('ALTER DATABASE %I SET jit = off', current_database());
END $$;

-- Posts on one subject lie close together, and with few links between them the index loses sight of whole subjects.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_indexes WHERE indexname = 'viral_posts_meaning') THEN
    DROP INDEX viral_posts_meaning;
    CREATE INDEX viral_posts_meaning ON viral_posts USING hnsw (embedding halfvec_cosine_ops)
      WITH (m = 32, ef_construction = 128);
  END IF;
END $$;

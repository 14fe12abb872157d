CREATE INDEX "viral_posts_platform" ON "viral_posts" USING btree ("platform");--> statement-breakpoint
CREATE INDEX "viral_posts_business_type" ON "viral_posts" USING btree ("business_type");--> statement-breakpoint
CREATE INDEX "viral_posts_content_type" ON "viral_posts" USING btree ("content_type");--> statement-breakpoint
CREATE INDEX "viral_posts_language" ON "viral_posts" USING btree ("language");--> statement-breakpoint
CREATE INDEX "viral_posts_sponsored" ON "viral_posts" USING btree ("creator_sponsored");--> statement-breakpoint
CREATE INDEX "viral_posts_ad_signal" ON "viral_posts" USING btree ((ad_signal ->> 'status'));--> statement-breakpoint
-- Handles and product names are looked for by any part of them; without trigrams those filters read every post.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') THEN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX viral_posts_account ON viral_posts USING gin (account gin_trgm_ops);
    CREATE INDEX viral_posts_product ON viral_posts USING gin (product_name gin_trgm_ops);
  END IF;
END $$;

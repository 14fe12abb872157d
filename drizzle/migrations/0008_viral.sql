CREATE TABLE "viral_posts" (
	"id" text PRIMARY KEY NOT NULL,
	"platform" text NOT NULL,
	"content_type" text NOT NULL,
	"link" text NOT NULL,
	"category" text NOT NULL,
	"business_type" text NOT NULL,
	"product_name" text,
	"product_website" text,
	"product_app" jsonb,
	"product_app_id" text GENERATED ALWAYS AS (product_app ->> 'app_id') STORED,
	"account" text,
	"caption" text,
	"hashtags" text[] NOT NULL,
	"date_published" date NOT NULL,
	"views" bigint,
	"likes" bigint,
	"comments" bigint,
	"shares" bigint,
	"bookmarks" bigint,
	"slide_count" integer,
	"preview_image_url" text,
	"image_urls" text[] NOT NULL,
	"video_url" text,
	"hook_text" text,
	"hook_analysis" jsonb,
	"search_summary" text,
	"niche" text,
	"topics" text[] NOT NULL,
	"search_keywords" text[] NOT NULL,
	"ad_signal" jsonb,
	"creator_sponsored" boolean,
	"language" text,
	"slide_texts" text[],
	"transcript" jsonb,
	"embedded_from" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "viral_posts_newest" ON "viral_posts" USING btree ("created_at" DESC NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "viral_posts_latest" ON "viral_posts" USING btree ("date_published" DESC NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "viral_posts_views" ON "viral_posts" USING btree ("views" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "viral_posts_likes" ON "viral_posts" USING btree ("likes" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "viral_posts_comments" ON "viral_posts" USING btree ("comments" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "viral_posts_slides" ON "viral_posts" USING btree ("slide_count" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "viral_posts_category" ON "viral_posts" USING btree ("category");--> statement-breakpoint
CREATE INDEX "viral_posts_app" ON "viral_posts" USING btree ("product_app_id");--> statement-breakpoint
-- Search by meaning needs pgvector; a Postgres without it keeps everything else.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') THEN
    CREATE EXTENSION IF NOT EXISTS vector;
    ALTER TABLE viral_posts ADD COLUMN embedding halfvec(384);
    CREATE INDEX viral_posts_meaning ON viral_posts USING hnsw (embedding halfvec_cosine_ops);
  END IF;
END $$;

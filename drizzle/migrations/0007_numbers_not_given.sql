-- Networks that give fewer numbers of a post: what is not given is null, and an account knows why.
ALTER TABLE "analytics_posts" ALTER COLUMN "views" DROP NOT NULL,
  ALTER COLUMN "shares" DROP NOT NULL, ALTER COLUMN "saves" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "analytics_snapshots" ALTER COLUMN "views" DROP NOT NULL,
  ALTER COLUMN "shares" DROP NOT NULL, ALTER COLUMN "saves" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "analytics_targets" ADD COLUMN "missing_numbers" jsonb;

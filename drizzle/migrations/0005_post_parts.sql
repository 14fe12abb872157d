-- A post may say something else on single accounts, go on in a thread, and have a first comment and a link card. Each
-- delivery keeps the calls that follow the one that publishes the post, and which of them it has come to.
ALTER TABLE "posts" ADD COLUMN "overrides" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "first_comment" text;--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "thread" jsonb;--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "link" jsonb;--> statement-breakpoint
ALTER TABLE "post_deliveries" ADD COLUMN "part" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "post_deliveries" ADD COLUMN "parts" jsonb;

CREATE TABLE "imports" (
	"kind" text NOT NULL,
	"fingerprint" text NOT NULL,
	"lines" integer NOT NULL,
	"stored" integer NOT NULL,
	"refused" integer NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "imports_kind_fingerprint_pk" PRIMARY KEY("kind","fingerprint")
);
--> statement-breakpoint
CREATE TABLE "observed_videos" (
	"platform" text NOT NULL,
	"video_id" text NOT NULL,
	"url" text NOT NULL,
	"caption" text NOT NULL,
	"hashtags" text[] NOT NULL,
	"sound_id" text,
	"sound_name" text,
	"sound_sample_url" text,
	"author_handle" text NOT NULL,
	"views" bigint NOT NULL,
	"likes" bigint NOT NULL,
	"comments" bigint NOT NULL,
	"shares" bigint NOT NULL,
	"published_at" timestamp (3) with time zone NOT NULL,
	"search_text" text NOT NULL,
	"words" "tsvector" GENERATED ALWAYS AS (to_tsvector('simple', search_text)) STORED NOT NULL,
	CONSTRAINT "observed_videos_platform_video_id_pk" PRIMARY KEY("platform","video_id")
);
--> statement-breakpoint
CREATE INDEX "observed_videos_newest" ON "observed_videos" USING btree ("platform","published_at");--> statement-breakpoint
CREATE INDEX "observed_videos_words" ON "observed_videos" USING gin ("words");--> statement-breakpoint
CREATE INDEX "observed_videos_hashtags" ON "observed_videos" USING gin ("hashtags");
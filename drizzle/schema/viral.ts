// The viral library: organic posts with more than 10,000 views. The `embedding` column requires pgvector
// (migrations/0002_extensions.sql), so it is not declared here; nor are the pg_trgm indexes.
import { sql } from "drizzle-orm";
import { bigint, boolean, date, index, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { createdAt } from "./columns.ts";

const count = (name: string) => bigint(name, { mode: "number" });

export const viralPosts = pgTable(
  "viral_posts",
  {
    /** `<platform>_<the platform's own id>`. */
    id: text("id").primaryKey(),
    platform: text("platform").notNull(),
    contentType: text("content_type").notNull(),
    link: text("link").notNull(),
    category: text("category").notNull(),
    businessType: text("business_type").notNull(),
    productName: text("product_name"),
    productWebsite: text("product_website"),
    productApp: jsonb("product_app"),
    productAppId: text("product_app_id").generatedAlwaysAs(sql`product_app ->> 'app_id'`),
    account: text("account"),
    caption: text("caption"),
    hashtags: text("hashtags").array().notNull(),
    datePublished: date("date_published").notNull(),
    views: count("views"),
    likes: count("likes"),
    comments: count("comments"),
    shares: count("shares"),
    bookmarks: count("bookmarks"),
    slideCount: integer("slide_count"),
    previewImageUrl: text("preview_image_url"),
    imageUrls: text("image_urls").array().notNull(),
    videoUrl: text("video_url"),
    hookText: text("hook_text"),
    hookAnalysis: jsonb("hook_analysis"),
    searchSummary: text("search_summary"),
    niche: text("niche"),
    topics: text("topics").array().notNull(),
    searchKeywords: text("search_keywords").array().notNull(),
    adSignal: jsonb("ad_signal"),
    creatorSponsored: boolean("creator_sponsored"),
    language: text("language"),
    slideTexts: text("slide_texts").array(),
    transcript: jsonb("transcript"),
    /** Fingerprint of the embedded text and the model, so that an import embeds only changed posts. */
    embeddedFrom: text("embedded_from"),
    createdAt: createdAt(),
  },
  (table) => [
    index("viral_posts_newest").on(table.createdAt.desc().nullsFirst(), table.id),
    index("viral_posts_latest").on(table.datePublished.desc().nullsFirst(), table.id),
    index("viral_posts_views").on(table.views.desc().nullsLast(), table.id),
    index("viral_posts_likes").on(table.likes.desc().nullsLast(), table.id),
    index("viral_posts_comments").on(table.comments.desc().nullsLast(), table.id),
    index("viral_posts_slides").on(table.slideCount.desc().nullsLast(), table.id),
    index("viral_posts_category").on(table.category),
    index("viral_posts_app").on(table.productAppId),
    index("viral_posts_platform").on(table.platform),
    index("viral_posts_business_type").on(table.businessType),
    index("viral_posts_content_type").on(table.contentType),
    index("viral_posts_language").on(table.language),
    index("viral_posts_sponsored").on(table.creatorSponsored),
    index("viral_posts_ad_signal").on(sql`(ad_signal ->> 'status')`),
  ],
);

// A stored post of the viral library in its public shape.
import type { StoredViralPost } from "../queries/viral.ts";
import type { ViralPost } from "../schemas/viral.ts";

/** `slideTexts` are returned for a single post only. */
export function toViralPostResponse(post: StoredViralPost, slideTexts: string[] | null = null): ViralPost {
  const { views, likes, comments, shares, bookmarks } = post;
  return {
    id: post.id,
    platform: post.platform,
    content_type: post.contentType,
    link: post.link,
    category: post.category,
    business_type: post.businessType,
    product_name: post.productName,
    product_website: post.productWebsite,
    product_app: post.productApp,
    account: post.account,
    caption: post.caption,
    hashtags: post.hashtags,
    date_published: post.datePublished,
    metrics: { views, likes, comments, shares, bookmarks },
    slide_count: post.slideCount,
    preview_image_url: post.previewImageUrl,
    image_urls: post.imageUrls,
    video_url: post.videoUrl,
    hook_text: post.hookText,
    hook_analysis: post.hookAnalysis,
    search_summary: post.searchSummary,
    niche: post.niche,
    topics: post.topics,
    search_keywords: post.searchKeywords,
    ad_signal: post.adSignal,
    creator_sponsored: post.creatorSponsored,
    language: post.language,
    slide_texts: slideTexts,
    relevance: null,
  };
}

// Descriptions of arguments that mean the same in every tool, by name. A tool may describe its own differently.

export const ARGUMENTS: Readonly<Record<string, string>> = {
  post_id: "From list_posts or prepare_post.",
  post_ids: "From list_posts.",
  account_id: "From list_accounts.",
  slideshow_id: "From generate_slideshow.",
  idempotency_key: "The same again repeats safely.",
  cursor: "next_cursor of the page before.",
  first_comment: "Published after the post, where the network can.",
  music_url: "Page of a TikTok sound; only TikTok accounts.",
};

// TikTok's fields and declarations. What its audit of apps that post directly asks of this page, "Required UX Implementation
// in Your App" of https://developers.tiktok.com/doc/content-sharing-guidelines, read 2026-11-24:
//  1. Creator info is fetched when the page is shown: the nickname is named, a creator who may not post now is asked to try
//     again later, and a video longer than max_video_post_duration_sec is not posted.
//  2. Privacy is chosen from privacy_level_options, without a default. Comment, duet and stitch are off until they are
//     turned on; those that the creator has disabled are greyed out; photos have only comments.
//  3. The disclosure of commercial content is off at first. Turned on, it needs your brand, branded content or both: until
//     then publishing is off, and says why. The label is named, and branded content cannot be private.
//  4. Before the button: consent to the Music Usage Confirmation, and to the Branded Content Policy for branded content.
//  5. The content is previewed, nothing is added to it, and the page says that it may take minutes until it is visible.
import type { FC } from "hono/jsx";

const MUSIC_URL = "https://www.tiktok.com/legal/page/global/music-usage-confirmation/en";
const BRANDED_URL = "https://www.tiktok.com/legal/page/global/bc-policy/en";

export const TikTokSettings: FC = () => (
  <fieldset class="card stack wide" data-for="tiktok" hidden>
    <legend class="visually-hidden">TikTok</legend>
    <h2>TikTok</h2>
    <p id="tiktok-apart" class="hint" hidden>
      TikTok gets a post of its own in the queue, because these settings are those of one post.
    </p>
    <ul id="tiktok-creators" class="creators" aria-label="Posting to" />
    <label for="tiktok-privacy">Who can view this post</label>
    <select id="tiktok-privacy" aria-describedby="tiktok-privacy-hint">
      <option value="">Choose</option>
    </select>
    <p id="tiktok-privacy-hint" class="hint" hidden>
      Branded content visibility cannot be set to private.
    </p>
    <fieldset>
      <legend>Allow others to</legend>
      {["Comment", "Duet", "Stitch"].map((name) => (
        <label class="check" data-media={name === "Comment" ? undefined : "video"}>
          <input type="checkbox" id={`tiktok-${name.toLowerCase()}`} /> {name}
        </label>
      ))}
      <p id="tiktok-disabled" class="hint" hidden />
    </fieldset>
    <label class="check">
      <input type="checkbox" id="tiktok-commercial" aria-describedby="tiktok-commercial-hint" /> Disclose that this post
      promotes something
    </label>
    <p id="tiktok-commercial-hint" class="hint">
      Turn it on if the post promotes yourself, a brand, a product or a service in exchange for something of value.
    </p>
    <fieldset id="tiktok-disclosure" hidden>
      <legend>What it promotes</legend>
      <label class="check">
        <input type="checkbox" id="tiktok-own" /> Your brand
      </label>
      <p class="hint">You are promoting yourself or your own business.</p>
      <label class="check">
        <input type="checkbox" id="tiktok-branded" /> Branded content
      </label>
      <p class="hint">You are promoting another brand or a third party.</p>
      <p id="tiktok-label" role="status" />
    </fieldset>
  </fieldset>
);

export const TikTokConsent: FC = () => (
  <p id="consent" class="hint" hidden>
    By posting, you agree to TikTok's{" "}
    <span id="consent-branded" hidden>
      <a href={BRANDED_URL} rel="noreferrer" target="_blank">
        Branded Content Policy
      </a>{" "}
      and{" "}
    </span>
    <a href={MUSIC_URL} rel="noreferrer" target="_blank">
      Music Usage Confirmation
    </a>
    . After publishing, it may take a few minutes until the post is visible on the profile.
  </p>
);

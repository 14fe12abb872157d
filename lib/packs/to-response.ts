// Stored packs and images in their public shape.
import type { StoredImage, StoredPack } from "../queries/packs.ts";
import type { Pack, PackImage } from "../schemas/pack.ts";

export function toPackResponse({ id, name, imageCount, isPublic, createdAt, images }: StoredPack): Pack {
  return {
    id,
    name,
    image_count: imageCount,
    is_public: isPublic,
    created_at: createdAt,
    images: images.map(toImageResponse),
  };
}

export function toListedPack(pack: StoredPack) {
  return { ...toPackResponse(pack), preview_image_url: pack.images[0]?.url ?? null };
}

export function toImageResponse({ id, url, fileName, contentType, width, height, createdAt }: StoredImage): PackImage {
  return { id, url, file_name: fileName, content_type: contentType, width, height, created_at: createdAt };
}

// SQL that inserts enough rows for realistic query plans. Replace `$scope` and `$folder` before use.

export const SEED_ROWS_SQL = `
  insert into folders (id, owner_id, workspace_id, name, media_type) values ('$folder', '$scope', '$scope', 'f', 'upload');
  insert into files (id, owner_id, workspace_id, object_key, url, kind, origin, content_type, filename, size, sha256, width,
      height, has_video, has_audio, details, created_at)
    select gen_random_uuid(), '$scope', case when n % 3 = 0 then '$scope'::uuid else gen_random_uuid() end, n, 'u/' || n,
      case when n % 2 = 0 then 'image' else 'video' end, case when n % 5 = 0 then 'upload' else 'render' end, 'image/png',
      'a.png', 1, 'a', 1, 1, false, false, '{}', now() - n * interval '1 second' from generate_series(1, 12000) n;
  insert into folders (id, owner_id, workspace_id, name, media_type)
    select gen_random_uuid(), '$scope', '$scope', n, 'upload' from generate_series(1, 50) n;
  insert into folder_items (folder_id, file_id)
    select f.id, x.id from folders f cross join lateral (
      select id from files where scope_id = '$scope' and f.id is not null order by random() limit 40) x;
  insert into uploads (id, owner_id, workspace_id, object_key, content_type, filename, state, expires_at)
    select id, owner_id, workspace_id, object_key, content_type, filename,
      case when random() < 0.02 then 'open' else 'finalized' end, created_at from files where origin = 'upload'
    on conflict do nothing;
  insert into removals (bucket, object_key, file_id, due_at)
    select 'files', 'many/' || n, gen_random_uuid(), now() + n * interval '1 second' from generate_series(1, 60000) n;
  insert into posts (id, owner_id, workspace_id, caption, status, settings, metadata, payload_hash)
    select gen_random_uuid(), '$scope', case when n % 3 = 0 then '$scope'::uuid else gen_random_uuid() end,
      repeat('a', 300), case when n % 20 = 0 then 'scheduled' else 'posted' end, '{}', '{}', ''
    from generate_series(1, 6000) n;
  analyze`;

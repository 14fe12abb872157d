// The child process that runs Miniflare's R2 with its S3 API; it ends with its parent.
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

export type StorageOptions = { persistTo: string; accessKeyId: string; secretAccessKey: string; buckets: string[] };

process.once("message", async ({ persistTo, buckets, ...s3Credentials }: StorageOptions) => {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      modules: true,
      script: "export default { fetch: () => new Response(null, { status: 404 }) }",
      compatibilityDate: "2026-01-01",
      resourcePersistencePath: persistTo,
      telemetry: { enabled: false },
      logRequests: false,
      log: new Log(LogLevel.ERROR),
      r2Buckets: Object.fromEntries(buckets.map((id) => [id, { id, s3Credentials }])),
    }),
  );
  const stop = async () => {
    await miniflare.dispose();
    process.exit(0);
  };
  // The channel closes when the parent disconnects and when it is killed.
  if (!process.connected) return stop();
  process.once("disconnect", stop);
  const { port } = await miniflare.ready;
  process.send?.({ port: Number(port) });
});

// The whole client of the local Redis, with the commands that the service does not send.
import { Redis } from "@upstash/redis";

export function connectRedis(url: string, token: string): Redis {
  return new Redis({ url, token, enableTelemetry: false, retry: false });
}

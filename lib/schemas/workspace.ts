// The settings of a workspace.
import * as z from "zod";
import { Id } from "./common.ts";
import { TimeZone } from "./schedule.ts";

export const Workspace = z
  .object({ id: Id.nullable(), name: z.string().nullable(), time_zone: z.string() })
  .meta({ id: "Workspace" });

export const WorkspacePatch = z.strictObject({ time_zone: TimeZone }).meta({ id: "WorkspacePatch" });

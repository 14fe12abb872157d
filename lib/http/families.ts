// Defaults that the endpoints of one noun share.
import { family } from "./endpoint.ts";

export const analyticsEndpoint = family("analytics", {
  internalError: "analytics_failed",
  noPlanStatus: 403,
  queryError: { code: "invalid_query", status: 400 },
});

export const editorEndpoint = family("editor", {
  malformedIdError: "project_not_found",
  noPlanStatus: 403,
  queryError: "invalid_payload",
});

export const fileEndpoint = family("files", { queryError: "invalid_query_parameter" });

export const folderEndpoint = family("folders", {
  malformedIdError: "invalid_path",
  queryError: "invalid_query_parameter",
});

export const viralLibraryEndpoint = family("viral-library", { internalError: "viral_library_failed" });

// Where the API lives under the host of the Worker.

export const BASE_PATH = "/api/partner/v1";

/** Where the fleet of hosted accounts reports that it has news. */
export const HOSTED_CALLBACK_PATH = `${BASE_PATH}/hosted/callback`;

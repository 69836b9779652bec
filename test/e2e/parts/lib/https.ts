import * as https from "node:https";

/**
 * Whether an HTTPS server answers with a status below `limit` (default 400). Its certificate is not checked: the components sign their own,
 * and the question is only whether they run.
 */
export function answersHttps(url: string, limit = 400): Promise<boolean> {
  return new Promise((resolve) => {
    const request = https.get(url, { rejectUnauthorized: false, timeout: 2000 }, (response) => {
      response.resume();
      resolve((response.statusCode ?? limit) < limit);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => {
      resolve(false);
    });
  });
}

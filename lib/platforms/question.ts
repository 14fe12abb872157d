// Keeps a refusal of the question apart from a verdict on the post.
import { failureOf } from "./platform.ts";

/**
 * A network that refuses to be asked (board gone, account restricted) says nothing about the post and will refuse
 * again: `cannot_tell` soon has a person look. A verdict, a failure that passes and a dead token go on as they are.
 */
export async function unlessRefused<Answer>(question: Promise<Answer>): Promise<Answer | { state: "cannot_tell" }> {
  try {
    return await question;
  } catch (error) {
    const failed = failureOf(error);
    const final = failed?.class === "content" || failed?.class === "account";
    if (final && !failed.restart) return { state: "cannot_tell" };
    throw error;
  }
}

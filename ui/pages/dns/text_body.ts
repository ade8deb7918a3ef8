import { ApiProblem } from "../../api/problem.ts";

/** Name of the one field of a form whose body is a text rather than an object. */
export const TEXT_FIELD = "Text";

/** Sends such a form: what is wrong with its body stands at its one field. */
export async function sendTextBody(send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.errors.every(({ pointer }) => pointer !== "")) {
      throw error;
    }
    const errors = error.errors.map(({ message }) => ({ pointer: `/${TEXT_FIELD}`, message }));
    throw new ApiProblem(error.status, error.message, { ...error.members, errors });
  }
}

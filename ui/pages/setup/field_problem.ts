import { ApiProblem } from "../../api/problem.ts";

/** A refusal of the guide itself, at one field. */
export function faultAt(name: string, message: string): ApiProblem {
  return new ApiProblem(400, message, { errors: [{ pointer: `/${name}`, message }] });
}

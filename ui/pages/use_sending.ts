import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { focusFirstProblem } from "../parts/field.tsx";
import { ApiProblem, wordsOf } from "../problem.ts";

/** A form that sends: what was wrong with it, whether it is under way, and how it is sent. */
export interface Sending {
  readonly form: { current: HTMLFormElement | null };
  readonly problem: ApiProblem | null;
  readonly busy: boolean;
  /** Forgets what was wrong, or names it. */
  readonly setProblem: (problem: ApiProblem | null) => void;
  /** Runs once at a time; what it throws stands in the form, with the focus on its first field. */
  readonly send: (event: Event | null, act: () => Promise<void>) => Promise<void>;
}

/** State of a form that sends. */
export function useSending(): Sending {
  const problem = useSignal<ApiProblem | null>(null);
  const busy = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  return {
    form,
    problem: problem.value,
    busy: busy.value,
    setProblem: (next) => problem.value = next,
    async send(event, act) {
      event?.preventDefault();
      if (busy.peek()) return;
      busy.value = true;
      problem.value = null;
      try {
        await act();
      } catch (error) {
        problem.value = error instanceof ApiProblem ? error : new ApiProblem(0, wordsOf(error));
        focusFirstProblem(form.current);
      } finally {
        busy.value = false;
      }
    },
  };
}

/** A refusal of this page itself, at one field. */
export function faultAt(name: string, message: string): ApiProblem {
  return new ApiProblem(400, message, { errors: [{ pointer: `/${name}`, message }] });
}

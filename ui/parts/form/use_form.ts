import type { RefObject } from "preact";
import { type Signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { fieldMessage, formMessage, without } from "./body_check.ts";
import { ApiProblem, type ProblemItem, textOf } from "../../api/problem.ts";

/** What a form writes. */
export interface FormOptions {
  /** What is wrong with what was typed before it is sent, each by JSON pointer. */
  readonly check?: () => readonly ProblemItem[];
  /** Sends it: `applySmall` for what nobody’s access hangs on, else `previewForm`. */
  readonly send: (options: SubmitOptions) => Promise<void>;
}

/** How a form is sent. */
export interface SubmitOptions {
  /**
   * The person saw that somebody else was faster and wants their own words all the same, so that no
   * earlier entity tag goes with it.
   */
  readonly overwrite: boolean;
  /** Value of the button that was pressed; empty for none. */
  readonly button: string;
}

/** A form on its way: what is wrong with it, whether it is being sent, and the means to its fields. */
export interface FormState {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly problem: ApiProblem | null;
  /** True from the press of the button until the answer, or until its preview is open. */
  readonly busy: boolean;
  /** True when somebody else changed the same since the form was filled. */
  readonly outdated: boolean;
  /** What is wrong beside the fields that the form shows; null when nothing is. */
  readonly message: string | null;
  readonly submit: (event?: Event) => Promise<void>;
  /** Sends what was typed over what somebody else wrote. */
  readonly overwrite: () => Promise<void>;
  /** Takes back what was said. */
  readonly clear: () => void;
  /** Says that something is wrong which no answer of the API tells. */
  readonly fail: (problem: ApiProblem) => void;
  /** The message of a field, by its name in the body. */
  readonly at: (name: string) => string | null;
  /** A field was edited: what was said about it is said no longer. */
  readonly edited: (name: string) => void;
  /** Value, message and edits of a field of text. */
  readonly text: (name: string, value: Signal<string>) => TextBinding;
}

/** What a field of text takes. */
export interface TextBinding {
  readonly value: string;
  readonly problem: string | null;
  readonly onValue: (value: string) => void;
}

/**
 * Owns the sending of a form: one at a time, complaints at their fields by JSON pointer with the focus
 * at the first, the rest above it, and what was typed never lost. Shown by `WriteForm`.
 */
export function useForm({ check, send }: FormOptions): FormState {
  const form = useRef<HTMLFormElement>(null);
  const problem = useSignal<ApiProblem | null>(null);
  const busy = useSignal(false);
  const last = useRef<SubmitOptions>({ overwrite: false, button: "" });
  // Fields say their names as they are drawn, which is before anything can be wrong with them.
  const names = useRef(new Set<string>());

  function refuse(next: ApiProblem): void {
    problem.value = next;
    focusFirst(form.current);
  }

  async function run(options: SubmitOptions): Promise<void> {
    if (busy.value) return;
    last.current = options;
    problem.value = null;
    const errors = check?.() ?? [];
    if (errors.length > 0) return refuse(new ApiProblem(400, "", { errors }));
    busy.value = true;
    try {
      await send(options);
    } catch (error) {
      refuse(error instanceof ApiProblem ? error : new ApiProblem(0, textOf(error)));
    } finally {
      busy.value = false;
    }
  }

  const at = (name: string): string | null => {
    names.current.add(name);
    return fieldMessage(problem.value, name);
  };
  const edited = (name: string): void => void (problem.value = without(problem.value, name));
  const lost = problem.value?.status === 412;
  return {
    form,
    problem: problem.value,
    busy: busy.value,
    outdated: lost,
    message: lost ? null : formMessage(problem.value, [...names.current]),
    submit: async (event) => {
      event?.preventDefault();
      const button = (event as SubmitEvent | undefined)?.submitter;
      await run({ overwrite: false, button: button?.getAttribute("value") ?? "" });
    },
    overwrite: () => run({ ...last.current, overwrite: true }),
    clear: () => void (problem.value = null),
    fail: refuse,
    at,
    edited,
    text: (name, value) => ({
      value: value.value,
      problem: at(name),
      onValue: (next) => {
        value.value = next;
        edited(name);
      },
    }),
  };
}

function focusFirst(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => {
    const target = form?.querySelector<HTMLElement>('[aria-invalid="true"]') ??
      form?.querySelector<HTMLElement>(".fault");
    target?.focus();
  });
}

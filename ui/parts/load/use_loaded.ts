import { useEffect, useRef, useState } from "preact/hooks";
import { call, type Request } from "../../api/client.ts";
import { ApiProblem, textOf } from "../../api/problem.ts";

/** What was loaded last, which stays while newer is on its way, and why the last load failed. */
export interface Loaded<T> {
  readonly body: T | null;
  /** Entity tag of the body, for a write that must not undo what somebody else did since. */
  readonly etag: string | null;
  readonly problem: ApiProblem | null;
  readonly reload: () => void;
}

/**
 * Loads for a page, anew whenever `when` changes. An answer that a later one has overtaken is not
 * shown. Null as request loads nothing.
 */
export function useLoaded<T>(request: Request | null, when: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, "reload">>({
    body: null,
    etag: null,
    problem: null,
  });
  const [again, setAgain] = useState(0);
  const turn = useRef(0);
  useEffect(() => {
    const mine = ++turn.current;
    const shows = () => mine === turn.current;
    if (request === null) {
      setState({ body: null, etag: null, problem: null });
      return;
    }
    call<T>(request).then(
      ({ body, etag }) => shows() && setState({ body, etag, problem: null }),
      (error) => {
        const problem = error instanceof ApiProblem ? error : new ApiProblem(0, textOf(error));
        if (shows()) setState((old) => ({ ...old, problem }));
      },
    );
  }, [...when, again]);
  useEffect(() => () => void turn.current++, []);
  return { ...state, reload: () => setAgain((count) => count + 1) };
}

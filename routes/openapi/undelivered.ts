const nothing: unknown = new Proxy(function () {}, {
  get: (_, key) => key === Symbol.toPrimitive ? () => "" : nothing,
  apply: () => nothing,
});

/** Stands for whatever routes need from outside where they are described and never called. */
export const undelivered = nothing as never;

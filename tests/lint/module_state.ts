/** Classes of which an instance at module level cannot change, or in no way that a result shows. */
const UNCHANGING = new Set([
  "Differences",
  "Pace",
  "Proxy",
  "RegExp",
  "TextDecoder",
  "TextEncoder",
  "URL",
  "URLPattern",
  "Uint8Array",
]);
const COLLECTIONS = new Set(["Map", "Set"]);
const CHANGES = new Set([
  ...["add", "clear", "delete", "set"],
  ...["copyWithin", "fill", "pop", "push", "reverse", "shift", "sort", "splice", "unshift"],
]);

/** Something that a module keeps from one call to the next. */
export interface ModuleState {
  readonly node: Deno.lint.Node;
  readonly message: string;
}

/**
 * State at the level of a module: a result would depend on who called before. Kept apart are values
 * of immutable objects (`onceEach`, `perVersion`, `Differences`), which change speed alone.
 */
export function moduleState(program: Deno.lint.Program): readonly ModuleState[] {
  const constants = new Set<string>();
  const found: ModuleState[] = [];
  const add = (node: Deno.lint.Node, what: string): void => {
    found.push({ node, message: `${what} is state of the module: let the caller own and pass it` });
  };
  for (const statement of program.body) {
    const declaration = statement.type === "ExportNamedDeclaration"
      ? statement.declaration
      : statement;
    if (declaration?.type !== "VariableDeclaration") continue;
    for (const { id, init } of declaration.declarations) {
      const name = id.type === "Identifier" ? id.name : "This";
      if (declaration.kind !== "const") add(declaration, name);
      else if (init !== null && isStateful(init)) add(declaration, name);
      else constants.add(name);
    }
  }
  for (const change of changesOf(program)) {
    if (constants.has(change.name)) add(change.node, change.name);
  }
  return found;
}

function isStateful(made: Deno.lint.Node): boolean {
  if (made.type === "CallExpression") {
    return made.callee.type === "Identifier" && made.callee.name === "memo";
  }
  if (made.type !== "NewExpression" || made.callee.type !== "Identifier") return false;
  const { name } = made.callee;
  return COLLECTIONS.has(name) ? made.arguments.length === 0 : !UNCHANGING.has(name);
}

interface NamedChange {
  readonly name: string;
  readonly node: Deno.lint.Node;
}

/** Every place where something that has a name is changed, leaving out names of inner scopes. */
function changesOf(program: Deno.lint.Program): readonly NamedChange[] {
  const changes: NamedChange[] = [];
  const visit = (node: Deno.lint.Node, hidden: ReadonlySet<string>): void => {
    const inner = new Set([...hidden, ...namesWithin(node)]);
    const name = changed(node);
    if (name !== null && !inner.has(name)) changes.push({ name, node });
    for (const child of childrenOf(node)) visit(child, inner);
  };
  visit(program, new Set());
  return changes;
}

/** The name of what a node changes, or null. */
function changed(node: Deno.lint.Node): string | null {
  if (node.type === "AssignmentExpression") return ownerOf(node.left);
  if (node.type === "UpdateExpression") return ownerOf(node.argument);
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return null;
  const { object, property } = node.callee;
  return object.type === "Identifier" && property.type === "Identifier" &&
      CHANGES.has(property.name)
    ? object.name
    : null;
}

function ownerOf(target: Deno.lint.Node): string | null {
  if (target.type !== "MemberExpression") return null;
  return target.object.type === "Identifier" ? target.object.name : ownerOf(target.object);
}

/** Names that a function or block declares for itself. */
function namesWithin(node: Deno.lint.Node): readonly string[] {
  const names: string[] = [];
  const declare = (pattern: unknown): void => {
    if (typeof pattern !== "object" || pattern === null) return;
    const { type, name } = pattern as { readonly type?: string; readonly name?: unknown };
    if (type === "Identifier" && typeof name === "string") names.push(name);
    else for (const child of childrenOf(pattern as Deno.lint.Node)) declare(child);
  };
  if ("params" in node && Array.isArray(node.params)) node.params.forEach(declare);
  const statements = node.type === "BlockStatement"
    ? node.body
    : node.type === "ForStatement"
    ? [node.init]
    : node.type === "ForOfStatement" || node.type === "ForInStatement"
    ? [node.left]
    : [];
  for (const statement of statements) {
    if (statement?.type !== "VariableDeclaration") continue;
    for (const { id } of statement.declarations) declare(id);
  }
  return names;
}

function childrenOf(node: Deno.lint.Node): readonly Deno.lint.Node[] {
  const children: Deno.lint.Node[] = [];
  for (const name in node) {
    if (name === "parent") continue;
    const value = (node as unknown as Record<string, unknown>)[name];
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === "object" && one !== null && "type" in one) {
        children.push(one as Deno.lint.Node);
      }
    }
  }
  return children;
}

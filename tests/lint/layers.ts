import { dirname, join, relative } from "node:path/posix";
import { complaint, isPure, mayCommand, mayKeepState } from "./placement.ts";
import { MAX_LINES } from "./layout.ts";
import { isTranslated, literalTexts } from "./literal_texts.ts";
import { moduleState } from "./module_state.ts";

const ROOT = dirname(dirname(import.meta.dirname ?? "/"));
/** Globals that tell the time, are random or touch the machine. */
const IMPURE = new Set([
  "Deno",
  "Date",
  "Temporal",
  "crypto",
  "performance",
  "fetch",
  "process",
  "setTimeout",
  "setInterval",
]);

/** The rules that hold the layers together; `placement.ts` decides, this file finds the places. */
const plugin: Deno.lint.Plugin = {
  name: "layers",
  rules: {
    imports: { create: imports },
    pure: { create: pure },
    state: { create: state },
    commands: { create: commands },
    size: { create: size },
    texts: { create: texts },
  },
};
export default plugin;

function relativePath(context: Deno.lint.RuleContext): string {
  return relative(ROOT, context.filename);
}

function imports(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const from = relativePath(context);
  const judge = (node: Deno.lint.Node, source: unknown, typesOnly: boolean): void => {
    if (typeof source !== "string") return;
    const to = source.startsWith(".") ? join(dirname(from), source) : source;
    const message = complaint({ from, to, typesOnly });
    if (message !== null) context.report({ node, message });
  };
  return {
    ImportDeclaration(node) {
      const named = node.specifiers.length > 0 &&
        node.specifiers.every((specifier) =>
          specifier.type === "ImportSpecifier" && specifier.importKind === "type"
        );
      judge(node, node.source.value, node.importKind === "type" || named);
    },
    ExportNamedDeclaration(node) {
      judge(node, node.source?.value, node.exportKind === "type");
    },
    ExportAllDeclaration(node) {
      judge(node, node.source.value, node.exportKind === "type");
    },
    ImportExpression(node) {
      if (node.source.type === "Literal") judge(node, node.source.value, false);
    },
  };
}

function pure(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  if (!isPure(relativePath(context))) return {};
  const judge = (node: Deno.lint.Node, callee: Deno.lint.Node): void => {
    if (callee.type !== "Identifier" || !IMPURE.has(callee.name)) return;
    context.report({ node, message: `A pure file uses no ${callee.name}: pass in what it needs` });
  };
  return {
    CallExpression: (node) => judge(node, node.callee),
    NewExpression: (node) => judge(node, node.callee),
    MemberExpression(node) {
      judge(node, node.object);
      if (
        node.object.type === "Identifier" && node.object.name === "Math" &&
        node.property.type === "Identifier" && node.property.name === "random"
      ) context.report({ node, message: "A pure file uses no Math.random: pass in what it needs" });
    },
  };
}

function state(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  if (mayKeepState(relativePath(context))) return {};
  return {
    Program(program) {
      for (const { node, message } of moduleState(program)) context.report({ node, message });
    },
  };
}

function commands(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  if (mayCommand(relativePath(context))) return {};
  return {
    MemberExpression(node) {
      if (
        node.object.type === "Identifier" && node.object.name === "Deno" &&
        node.property.type === "Identifier" && node.property.name === "Command"
      ) context.report({ node, message: "Only system/host and the launcher start programs" });
    },
  };
}

function size(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  if (relativePath(context).startsWith("ui/generated/")) return {};
  return {
    Program(node) {
      const lines = context.sourceCode.text.trimEnd().split("\n").length;
      if (lines <= MAX_LINES) return;
      context.report({
        node,
        message: `${lines} lines; a file has at most ${MAX_LINES}: divide it`,
      });
    },
  };
}

function texts(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  return isTranslated(relativePath(context)) ? literalTexts(context) : {};
}

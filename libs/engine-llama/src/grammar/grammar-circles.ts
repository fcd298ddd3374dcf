import type { Rules } from './gbnf.js';
import { refsIn } from './grammar-check.js';

/** The recursive rules by strongly connected component. */
export function circlesOf(rules: Rules): ReadonlyMap<string, number> {
  const users = new Map<string, string[]>();
  const uses = new Map(Array.from(rules, ([name, expr]) => [name, [...new Set(refsIn(expr))]]));
  for (const [name, used] of uses) {
    for (const each of used) {
      const list = users.get(each) ?? [];
      list.push(name);
      users.set(each, list);
    }
  }
  const order = finished(rules.keys(), uses).toReversed();
  const circles = new Map<string, number>();
  const seen = new Set<string>();
  for (const [i, name] of order.entries()) {
    const members = reached(name, users, seen);
    const isCircle = members.length > 1 || uses.get(name)?.includes(name);
    if (isCircle) for (const member of members) circles.set(member, i);
  }
  return circles;
}

/** Names in postorder. */
function finished(names: Iterable<string>, uses: ReadonlyMap<string, readonly string[]>): string[] {
  const seen = new Set<string>();
  const order: string[] = [];
  for (const start of names) {
    const path: { readonly name: string; next: number }[] = seen.has(start) ? [] : [{ name: start, next: 0 }];
    seen.add(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = uses.get(top.name)?.[top.next];
      top.next += 1;
      if (next === undefined) {
        order.push(top.name);
        path.pop();
      } else if (!seen.has(next)) {
        seen.add(next);
        path.push({ name: next, next: 0 });
      }
    }
  }
  return order;
}

function reached(from: string, edges: ReadonlyMap<string, readonly string[]>, seen: Set<string>): string[] {
  const waiting = [from];
  const all: string[] = [];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    all.push(name);
    waiting.push(...(edges.get(name) ?? []));
  }
  return all;
}

import type { Rules } from './gbnf.js';
import { GrammarWalk } from './grammar-walk.js';

/** llama.cpp follows all stacks at once, for each token of the vocabulary: with more than these an answer takes minutes. */
const MAX_WAYS = 1_000;
const MAX_STEPS = 400;
const MAX_CHOICES = 48;
const MAX_WORK = 200_000;

/**
 * True when a text was found that can be read in so many ways that llama.cpp would hang or run out of memory. Greedy search: it
 * always takes the character with the most and the deepest stacks. Bounded: a grammar may pass although it has such a text.
 */
export function growsTooFast(rules: Rules, root: string): boolean {
  const walk = new GrammarWalk(rules, root);
  let ways = walk.start();
  for (let step = 0; step < MAX_STEPS && walk.work < MAX_WORK; step += 1) {
    if (ways.size > MAX_WAYS) return true;
    const next = widest(walk, ways);
    if (next === null) return false;
    ways = next;
  }
  return ways.size > MAX_WAYS;
}

type Ways = ReturnType<GrammarWalk['start']>;

function widest(walk: GrammarWalk, ways: Ways): Ways | null {
  let best: Ways | null = null;
  let bestScore = -1;
  for (const code of [...walk.choices(ways)].slice(0, MAX_CHOICES)) {
    const next = walk.after(ways, code);
    let deepest = 0;
    for (const way of next) deepest = Math.max(deepest, way?.depth ?? 0);
    const score = next.size + deepest / 1_000_000;
    if (score <= bestScore) continue;
    best = next;
    bestScore = score;
  }
  return best;
}

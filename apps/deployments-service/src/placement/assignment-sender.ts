import { type AgentHeartbeat, Assignment, type DeploymentId, subjectOf } from '@slipway/contracts';
import type { Logger, NatsConnection } from '@slipway/platform';
import { assignmentItems, type ItemOptions } from './assignment-items.js';
import type { Target } from './target.js';
import type { Assignments } from './unit.js';

/** An agent that lost one assignment has the next after so long, in milliseconds. */
const REPEAT_MS = 2_000;

interface Sent {
  readonly digest: string;
  readonly at: number;
}

export interface AssignmentSenderOptions extends ItemOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly log: Logger;
}

/** Tells each agent all that it must run, on change and every 2 s. */
export class AssignmentSender {
  #sent = new Map<string, Sent>();

  constructor(private readonly options: AssignmentSenderOptions) {}

  /** @param term of the placer that decided; agents ignore lower ones. */
  send(term: number, assignments: Assignments, targets: readonly Target[], agents: readonly AgentHeartbeat[]): void {
    const now = performance.now();
    const kept = new Map<string, Sent>();
    for (const agent of agents) {
      const keys = assignments.get(agent.wk) ?? new Set();
      const stopped = stoppedOn(agent, targets);
      const digest = JSON.stringify([term, [...keys].sort(), stopped]);
      const last = this.#sent.get(agent.wk);
      const due = last?.digest !== digest || now - last.at >= REPEAT_MS;
      if (due) this.#publish(agent, { term, items: assignmentItems(keys, targets, agent, this.options), stopped });
      kept.set(agent.wk, due ? { digest, at: now } : last);
    }
    this.#sent = kept;
  }

  #publish(agent: AgentHeartbeat, assignment: Assignment): void {
    const { nats, env, log } = this.options;
    try {
      nats.publish(subjectOf(Assignment, { env, wk: agent.wk }), JSON.stringify(assignment));
    } catch (error) {
      // Without the assignment itself: it may hold credentials.
      log.error({ agent: agent.wk, items: assignment.items.length, err: error }, 'placement.assignment_unsent');
    }
  }
}

/** What the agent has and its owner stopped. Deployments at rest and deleted ones are no targets. */
function stoppedOn({ loads }: AgentHeartbeat, targets: readonly Target[]): DeploymentId[] {
  const wanted = new Set(targets.filter(({ desired }) => desired === 'ready').map(({ dep }) => dep));
  return [...new Set(loads.map(({ dep }) => dep).filter((dep) => !wanted.has(dep)))].sort((a, b) => a - b);
}

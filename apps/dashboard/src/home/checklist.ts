/** What the checklist knows of an account. Null = not known yet. */
export interface AccountProgress {
  readonly deployments: readonly { readonly state: string }[] | null;
  readonly keys: readonly { readonly state: string }[] | null;
  /** Requests of the last 30 days, of keys alone: the playground proves no client. */
  readonly requests: number | null;
  /** Members and open invitations. */
  readonly people: number | null;
  /** Whether an agent has used the MCP key. */
  readonly agentSeen: boolean | null;
  /** Whether an adapter was trained. Undefined = this installation trains none. */
  readonly hasAdapter: boolean | null | undefined;
}

export const STEPS = ['deploy', 'key', 'request', 'team', 'agent', 'tune'] as const;
export type ChecklistStep = (typeof STEPS)[number];

/** `unknown` until its figures have come. `absent`: it cannot be taken here. */
export type StepState = 'done' | 'open' | 'unknown' | 'absent';

function stateOf(known: unknown, isDone: boolean): StepState {
  if (known === null) return 'unknown';
  return isDone ? 'done' : 'open';
}

/** Which steps of the first day an account has taken. */
export function progressOf({
  deployments,
  keys,
  requests,
  people,
  agentSeen,
  hasAdapter,
}: AccountProgress): Readonly<Record<ChecklistStep, StepState>> {
  return {
    deploy: stateOf(
      deployments,
      (deployments ?? []).some(({ state }) => state === 'ready' || state === 'degraded'),
    ),
    key: stateOf(
      keys,
      (keys ?? []).some(({ state }) => state === 'active'),
    ),
    request: stateOf(requests, (requests ?? 0) > 0),
    team: stateOf(people, (people ?? 0) > 1),
    agent: stateOf(agentSeen, agentSeen === true),
    tune: hasAdapter === undefined ? 'absent' : stateOf(hasAdapter, hasAdapter === true),
  };
}

/** Whether the steps that every account needs are taken; the others are optional. */
export const isSetUp = (progress: Readonly<Record<ChecklistStep, StepState>>): boolean =>
  progress.deploy === 'done' && progress.key === 'done' && progress.request === 'done';

/** Whether one of them is known to be missing. While an account is not known, it is neither set up nor starting. */
export const isStarting = ({ deploy, key, request }: Readonly<Record<ChecklistStep, StepState>>): boolean =>
  [deploy, key, request].includes('open');

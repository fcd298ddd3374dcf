import type { DeploymentView } from '@slipway/contracts';
import { slugOf } from '../deployments/inference-target.js';
import { STATES } from '../deployments/state-words.js';
import type { Choice } from '../ui/select.js';

type Named = Pick<DeploymentView, 'id' | 'name' | 'aliases' | 'state'>;

/** What a deployment is called first: its alias, which programs use; else its name. */
export const calledOf = ({ name, aliases }: Pick<Named, 'name' | 'aliases'>): string => aliases[0] ?? name;

/** Deployments to choose from; each is found by alias, name or slug. */
export function choicesOf(deployments: readonly Named[]): Choice[] {
  return deployments.map((deployment) => {
    const { name, aliases, state } = deployment;
    const { text, look } = STATES[state];
    const slug = slugOf(deployment);
    const isTwice = deployments.some((other) => other.id !== deployment.id && calledOf(other) === calledOf(deployment));
    const others = [...(aliases.length > 0 ? [name, ...aliases.slice(1)] : []), slug, text];
    return { value: slug, label: isTwice ? `${calledOf(deployment)} (${slug})` : calledOf(deployment), hint: others.join(' · '), look };
  });
}

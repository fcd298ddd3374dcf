import type { ComparedDeployment, FindDeployment } from '@slipway/contracts';
import type { z } from 'zod';

/** What an evaluation keeps of a deployment: the revision that serves, and its adapter. */
export function comparedDeployment({ deployment, revisions }: z.output<typeof FindDeployment.reply>): ComparedDeployment {
  const revision = deployment.serving_rev ?? deployment.rev;
  const serving = revisions.find(({ rev }) => rev === revision);
  const adapter = (serving ? serving.adapter : deployment.adapter) ?? null;
  return {
    ...{ deployment: deployment.id, name: deployment.name, revision, has_changed: false },
    adapter: adapter && { id: adapter.id, name: adapter.name, version: adapter.version },
  };
}

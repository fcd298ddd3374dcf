import { Controller, Injectable, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { FindDeploymentOptions, FitDeployment, type SourceKind } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { AgentTable } from '../agents/agent-table.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { SettingsPolicy } from '../deployments/settings-policy.js';
import { SourceRules } from '../deployments/source-rules.js';
import { PlacementModule } from '../placement/placement.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { FitService } from './fit.service.js';

type Options = z.input<typeof FindDeploymentOptions.reply>;

/** The same for each kind of source. */
const byKind = <T>(valueOf: (kind: SourceKind) => T): Record<SourceKind, T> => ({
  file: valueOf('file'),
  download: valueOf('download'),
  http: valueOf('http'),
});

/** Shows what an account may deploy, before it tries. */
@Injectable()
class OptionsService {
  constructor(
    private readonly rules: SourceRules,
    private readonly policy: SettingsPolicy,
    private readonly quotas: QuotasService,
    private readonly agents: AgentTable,
  ) {}

  async find({ account }: z.output<typeof FindDeploymentOptions.request>): Promise<Options> {
    const { quotas, defaults, used } = await this.quotas.find({ account });
    return {
      sources: this.rules.describe(),
      defaults: {
        replicas: byKind((kind) => this.policy.defaultReplicas({ kind })),
        slots: byKind((kind) => this.policy.defaultSlots({ kind })),
      },
      max: this.policy.bounds(),
      engines: this.#engines(),
      workers: this.agents.live().length,
      quotas: {
        deployments: quotas.deployments ?? defaults.deployments,
        replicas: quotas.replicas ?? defaults.replicas,
        aliases: quotas.aliases ?? defaults.aliases,
      },
      used,
    };
  }

  #engines(): Options['engines'] {
    const counts = new Map<string, number>();
    for (const { engines, draining } of this.agents.live()) {
      for (const kind of draining ? [] : new Set(engines)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return [...counts].map(([kind, workers]) => ({ kind, workers })).sort((a, b) => (a.kind < b.kind ? -1 : 1));
  }
}

@Controller()
class OptionsHandlers {
  constructor(
    private readonly options: OptionsService,
    private readonly fits: FitService,
  ) {}

  @RpcHandler(FindDeploymentOptions)
  find(@Payload() request: z.output<typeof FindDeploymentOptions.request>): Promise<Options> {
    return this.options.find(request);
  }

  @RpcHandler(FitDeployment)
  fit(@Payload() request: z.output<typeof FitDeployment.request>): Promise<z.input<typeof FitDeployment.reply>> {
    return this.fits.fit(request);
  }
}

/** What may be deployed, and where it would fit. */
@Module({
  imports: [QuotasModule, PlacementModule, DeploymentsModule],
  controllers: [OptionsHandlers],
  providers: [OptionsService, FitService],
})
export class OptionsModule {}

import { type DynamicModule, Module } from '@nestjs/common';
import { HTTP_SETTINGS } from './http/http-settings.js';
import { HealthController } from './http/health.controller.js';
import { type GateOptions, RequestGate } from './http/request-gate.js';
import { InferenceService } from './inference/inference.service.js';
import { SecurityTextController } from './http/security-text.controller.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { ModelsController } from './surfaces/models/models.controller.js';
import { SurfaceRegistry } from './surfaces/registry.js';

/** What the HTTP door works with; made outside, since all of it also has a life outside of requests. */
export interface HttpParts extends GateOptions {
  readonly inference: InferenceService;
}

@Module({ controllers: [HealthController, ModelsController, OpenApiController, SecurityTextController] })
export class AppModule {
  static with(parts: HttpParts): DynamicModule {
    return {
      module: AppModule,
      controllers: parts.surfaces.controllers,
      providers: [
        { provide: RequestGate, useValue: new RequestGate(parts) },
        { provide: InferenceService, useValue: parts.inference },
        { provide: SurfaceRegistry, useValue: parts.surfaces },
        { provide: HTTP_SETTINGS, useValue: parts.settings },
      ],
    };
  }
}

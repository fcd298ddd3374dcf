import { chatStream, ScriptedUpstream, type UpstreamStep } from '@slipway/testing';
import { afterEach, beforeEach } from 'vitest';
import type { EngineSettings } from '../../libs/engine/src/engine.js';
import { HttpEngine, type HttpEngineLimits } from '../../libs/engine-http/src/http-engine.js';
import { SETTINGS } from './engine-run.js';

/** An upstream for each test, and engines before it that are unloaded with it. */
export class UpstreamBench {
  #upstream: ScriptedUpstream | undefined;
  #engines: HttpEngine[] = [];

  constructor() {
    beforeEach(async () => {
      this.#upstream = await ScriptedUpstream.start(() => chatStream(['Hello', ' there']));
    });
    afterEach(async () => {
      await Promise.all(this.#engines.map((engine) => engine.unload()));
      this.#engines = [];
      await this.upstream.stop();
    });
  }

  get upstream(): ScriptedUpstream {
    if (!this.#upstream) throw new Error('The upstream is there within tests only.');
    return this.#upstream;
  }

  /** An engine that is not loaded. */
  engine(settings: Partial<EngineSettings> = {}, limits: Partial<HttpEngineLimits> = {}, url = this.upstream.url): HttpEngine {
    const engine = new HttpEngine({ url, model: 'scripted' }, { ...SETTINGS, ...settings }, limits);
    this.#engines.push(engine);
    return engine;
  }

  async loaded(settings: Partial<EngineSettings> = {}, limits: Partial<HttpEngineLimits> = {}): Promise<HttpEngine> {
    const engine = this.engine(settings, limits);
    await engine.load(() => undefined, new AbortController().signal);
    return engine;
  }

  /** A loaded engine whose answers are these steps. */
  scripted(...steps: UpstreamStep[]): Promise<HttpEngine> {
    this.upstream.answer = () => ({ steps });
    return this.loaded();
  }
}

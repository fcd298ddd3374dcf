import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds that files took. */
const DURATIONS = JSON.parse(readFileSync(new URL('../durations.json', import.meta.url), 'utf8')) as Record<string, number>;
const SHORT_S = 1;

/** Starts the files that take longest first, so that no core waits for the last one, and cuts a run into parts of equal length. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    return files.toSorted((a, b) => groupOf(a) - groupOf(b) || this.#secondsOf(b) - this.#secondsOf(a));
  }

  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index = 1, count = 1 } = this.ctx.config.shard ?? {};
    const parts = Array.from({ length: count }, () => ({ seconds: 0, files: [] as TestSpecification[] }));
    const byName = files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
    for (const file of byName.toSorted((a, b) => this.#secondsOf(b) - this.#secondsOf(a))) {
      const shortest = parts.reduce((least, part) => (part.seconds < least.seconds ? part : least));
      shortest.files.push(file);
      shortest.seconds += this.#secondsOf(file);
    }
    return parts[index - 1]?.files ?? [];
  }

  #secondsOf({ moduleId }: TestSpecification): number {
    return DURATIONS[relative(this.ctx.config.root, moduleId)] ?? SHORT_S;
  }
}

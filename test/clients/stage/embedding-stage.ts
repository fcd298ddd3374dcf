import { GatewayRig, until } from '../../gateway/gateway-rig.js';
import { embedNumbers, vectorOf } from '../../gateway/scripted-runner.js';

const TEXTS = ['text 4', 'text 9'];
const shortened = (vectors: readonly Iterable<number>[]): string[][] =>
  vectors.map((vector) => [...vector].map((number) => number.toFixed(5)));

/** Vectors of two texts, as far as clients keep their digits. */
export const EXPECTED_VECTORS = shortened(TEXTS.map(vectorOf));

/** Vectors as a program printed them. */
export const vectorsIn = (stdout: string): string[][] => shortened(JSON.parse(stdout) as number[][]);

/** A deployment of embeddings at a gateway. */
export class EmbeddingStage {
  private constructor(
    private readonly rig: GatewayRig,
    readonly key: string,
    readonly slug: string,
    readonly baseURL: string,
  ) {}

  static async start(): Promise<EmbeddingStage> {
    const rig = await GatewayRig.start();
    const account = rig.account();
    const key = rig.key(account.id).value;
    const caps = ['embed', 'dimensions:4'];
    const { id } = rig.deployment(account.id, { caps });
    const slug = `deployment-${id}`;
    const gw = await rig.gateway();
    await rig.runner({ dep: id, script: embedNumbers, caps });
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: slug, input: 'x' });
    const asked = (): Promise<Response> => fetch(`${gw.url}/${slug}/v1/embeddings`, { method: 'POST', headers, body });
    await until('it answers', async () => (await asked()).status === 200);
    return new EmbeddingStage(rig, key, slug, `${gw.url}/${slug}/v1`);
  }

  end(): Promise<void> {
    return this.rig.end();
  }
}

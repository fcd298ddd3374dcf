import type { Logger } from '@slipway/platform';
import type { QueryRunner } from 'typeorm';

/** TypeORM's own table, which every database has. */
const MIGRATIONS = 'migrations';
/** So long a statement waits for the tables that it moves, in milliseconds: another replica may use them. */
const LOCK_MS = 30_000;

/**
 * Tables and sequences that statements name without a schema. Releases before the search path was fixed put them into
 * the schema that was named like the database role, once that schema existed, and looked for `migrations` there at the
 * next start.
 */
export interface StrayRelations {
  /** Schemas that the service makes; the role's own name is looked at as well. */
  readonly schemas: readonly string[];
  readonly relations: readonly string[];
}

interface Relation {
  readonly schema: string;
  readonly name: string;
  readonly isSequence: boolean;
  /** The same name is in the right schema, too. */
  readonly isDouble: boolean;
}

const FIND = `
  SELECT n.nspname AS schema, c.relname AS name, c.relkind = 'S' AS "isSequence",
    to_regclass(format('%I.%I', current_schema(), c.relname)) IS NOT NULL AS "isDouble"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE (n.nspname = ANY ($1) OR n.nspname = current_user) AND n.nspname <> current_schema()
    AND c.relname = ANY ($2) AND c.relkind IN ('r', 'p', 'S')
  ORDER BY 1, 2`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const pathOf = ({ schema, name }: Pick<Relation, 'schema' | 'name'>): string => `${quoted(schema)}.${quoted(name)}`;

/**
 * Moves stray tables and sequences to the schema that connections look into. Does nothing where there are none, so it
 * runs before every migration; the caller holds the lock of migrations. All of it in one transaction.
 *
 * What exists twice comes from a start that began to migrate anew, and failed: the copy in the wrong schema goes, and
 * two lists of migrations become one. Where that cannot be the reason, only an empty copy goes; where both copies hold
 * rows, the one in the right schema counts, and the other is left for a person to look at, with a line in the log at
 * each start.
 */
export async function bringStraysHome(runner: QueryRunner, strays: StrayRelations | undefined, log: Logger): Promise<void> {
  const { schemas = [], relations = [] } = strays ?? {};
  await runner.startTransaction();
  try {
    await runner.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
    const home = await homeOf(runner);
    const find = async (): Promise<Relation[]> => (await runner.query(FIND, [schemas, [...relations, MIGRATIONS]])) as Relation[];
    for (const schema of new Set((await find()).map((one) => one.schema))) {
      // Found again for each schema: what came home from one makes a double of its namesake in the next.
      const found = (await find()).filter((one) => one.schema === schema);
      const done = await new Homecoming(runner, home, found).run();
      if (done.moved.length + done.dropped.length > 0) log.warn({ schema, home, ...done }, 'database.strays_moved');
      else log.warn({ schema, home, left: done.left }, 'database.doubles_left');
    }
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}

async function homeOf(runner: QueryRunner): Promise<string> {
  const [row] = (await runner.query('SELECT current_schema() AS home')) as { home: string | null }[];
  if (!row?.home) throw new Error('The schema of the search path does not exist in this database.');
  return row.home;
}

/** What became of the strays of one schema, by name. */
interface Outcome {
  readonly moved: string[];
  readonly dropped: string[];
  readonly left: string[];
}

/** Brings the strays of one schema home. */
class Homecoming {
  readonly #outcome: Outcome = { moved: [], dropped: [], left: [] };

  constructor(
    private readonly runner: QueryRunner,
    private readonly home: string,
    private readonly found: readonly Relation[],
  ) {}

  async run(): Promise<Outcome> {
    const abandoned = await this.#joinMigrations();
    const doubles = this.found.filter(({ isDouble, name }) => isDouble && name !== MIGRATIONS);
    const gone: string[] = [];
    for (const one of doubles.filter(({ isSequence }) => !isSequence)) {
      const path =
        abandoned || (await this.#isEmpty(one)) ? pathOf(one) : (await this.#isEmpty(this.#twin(one))) && pathOf(this.#twin(one));
      this.#outcome[path === false ? 'left' : 'dropped'].push(one.name);
      if (path !== false) gone.push(path);
    }
    // Together: they may refer to each other.
    if (gone.length > 0) await this.runner.query(`DROP TABLE ${gone.join(', ')}`);
    for (const one of doubles.filter(({ isSequence }) => isSequence)) await this.#joinSequence(one);
    const isLost = (one: Relation): boolean => gone.includes(pathOf(this.#twin(one)));
    for (const one of this.found.filter((stray) => !stray.isDouble || isLost(stray))) await this.#move(one);
    return this.#outcome;
  }

  /** Makes one list of two. @returns whether the other one is of a start that began anew and did not get to its end */
  async #joinMigrations(): Promise<boolean> {
    const one = this.found.find(({ name, isDouble }) => name === MIGRATIONS && isDouble);
    if (!one) return false;
    const [theirs, ours] = [pathOf(one), pathOf(this.#twin(one))];
    const beyond = async (some: string, others: string): Promise<number> =>
      ((await this.runner.query(`SELECT FROM ${some} WHERE name NOT IN (SELECT name FROM ${others})`)) as unknown[]).length;
    const abandoned = (await beyond(theirs, ours)) === 0 && (await beyond(ours, theirs)) > 0;
    await this.runner.query(
      `INSERT INTO ${ours} (timestamp, name) SELECT timestamp, name FROM ${theirs} WHERE name NOT IN (SELECT name FROM ${ours}) ORDER BY id`,
    );
    await this.runner.query(`DROP TABLE ${theirs}`);
    this.#outcome.dropped.push(MIGRATIONS);
    return abandoned;
  }

  /** The one that stays goes on after the higher value of both. */
  async #joinSequence(one: Relation): Promise<void> {
    const [theirs, ours] = [pathOf(one), pathOf(this.#twin(one))];
    await this.runner.query(`SELECT setval($1::regclass, last_value) FROM ${theirs} WHERE last_value > (SELECT last_value FROM ${ours})`, [
      ours,
    ]);
    const used = (await this.runner.query(`SELECT FROM pg_depend WHERE refobjid = $1::regclass AND deptype = 'n'`, [theirs])) as unknown[];
    if (used.length === 0) await this.runner.query(`DROP SEQUENCE ${theirs}`);
    this.#outcome[used.length === 0 ? 'dropped' : 'left'].push(one.name);
  }

  async #move(one: Relation): Promise<void> {
    await this.runner.query(`ALTER ${one.isSequence ? 'SEQUENCE' : 'TABLE'} ${pathOf(one)} SET SCHEMA ${quoted(this.home)}`);
    this.#outcome.moved.push(one.name);
  }

  #twin({ name }: Relation): Pick<Relation, 'schema' | 'name'> {
    return { schema: this.home, name };
  }

  async #isEmpty(one: Pick<Relation, 'schema' | 'name'>): Promise<boolean> {
    return ((await this.runner.query(`SELECT FROM ${pathOf(one)} LIMIT 1`)) as unknown[]).length === 0;
  }
}

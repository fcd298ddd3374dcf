import type { Logger } from '@slipway/platform';
import type { QueryRunner } from 'typeorm';

/** TypeORM's own table in every database. */
const MIGRATIONS = 'migrations';
/** Lock timeout of a move in milliseconds: another replica may use the table. */
const LOCK_MS = 30_000;

/**
 * Tables and sequences that statements name without a schema. Releases before the search path was fixed created them in the
 * schema named like the database role, once that schema existed, and also read `migrations` from there.
 */
export interface StrayRelations {
  /** Schemas that the service creates; the schema named like the role is searched too. */
  readonly schemas: readonly string[];
  readonly relations: readonly string[];
}

interface Relation {
  readonly schema: string;
  readonly name: string;
  readonly isSequence: boolean;
  /** Whether the right schema has a relation of the same name. */
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
 * Moves stray tables and sequences to the schema of the search path, in one transaction. Does nothing where there are none, so
 * it runs before every migration. The caller holds the lock of migrations.
 *
 * A relation in both schemas comes from a start that began to migrate again and failed: the copy in the wrong schema is dropped,
 * and two lists of migrations become one. Where that cannot be the reason, only an empty copy is dropped. Where both copies
 * contain rows, the one in the right schema is used, and the other stays for an operator, with a log line at each start.
 */
export async function bringStraysHome(runner: QueryRunner, strays: StrayRelations | undefined, log: Logger): Promise<void> {
  const { schemas = [], relations = [] } = strays ?? {};
  await runner.startTransaction();
  try {
    await runner.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
    const home = await homeOf(runner);
    const find = async (): Promise<Relation[]> => (await runner.query(FIND, [schemas, [...relations, MIGRATIONS]])) as Relation[];
    for (const schema of new Set((await find()).map((one) => one.schema))) {
      // Searched again for each schema: a relation moved from one may now have a double in the next.
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

/** What was done with the stray relations of one schema, by name. */
interface Outcome {
  readonly moved: string[];
  readonly dropped: string[];
  readonly left: string[];
}

/** Moves the stray relations of one schema. */
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
    // Dropped together, because they may refer to each other.
    if (gone.length > 0) await this.runner.query(`DROP TABLE ${gone.join(', ')}`);
    for (const one of doubles.filter(({ isSequence }) => isSequence)) await this.#joinSequence(one);
    const isLost = (one: Relation): boolean => gone.includes(pathOf(this.#twin(one)));
    for (const one of this.found.filter((stray) => !stray.isDouble || isLost(stray))) await this.#move(one);
    return this.#outcome;
  }

  /** Merges two lists of migrations. @returns whether the stray one comes from a start that began again and failed */
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

  /** The remaining sequence continues after the higher value of both. */
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

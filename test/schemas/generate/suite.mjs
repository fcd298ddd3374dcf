import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** node suite.mjs FOLDER COMMIT: the required tests of a checkout of JSON Schema's own test suite, equal ones once. */
const [folder, commit] = process.argv.slice(2);
const OUT = new URL('../suite/', import.meta.url);
const DRAFTS = ['draft6', 'draft7', 'draft2019-09', 'draft2020-12'];

const groups = new Map();
for (const draft of DRAFTS) {
  const names = readdirSync(`${folder}/tests/${draft}`).filter((name) => name.endsWith('.json'));
  for (const name of names) {
    for (const { description, schema, tests } of JSON.parse(readFileSync(`${folder}/tests/${draft}/${name}`, 'utf8'))) {
      // Which draft reads it stands beside it.
      if (typeof schema === 'object' && /^https?:\/\/json-schema\.org\/draft.*\/schema#?$/.test(schema.$schema)) delete schema.$schema;
      const group = {
        name: `${name.slice(0, -5)}: ${description}`,
        schema,
        valid: tests.filter(({ valid }) => valid).map(({ data }) => data),
        invalid: tests.filter(({ valid }) => !valid).map(({ data }) => data),
      };
      const text = JSON.stringify(group);
      const known = groups.get(text) ?? { drafts: [], ...group };
      known.drafts.push(draft);
      groups.set(text, known);
    }
  }
}
mkdirSync(OUT, { recursive: true });
const lines = [...groups.values()].map((group) => JSON.stringify(group));
writeFileSync(new URL('suite.json', OUT), `{"commit": ${JSON.stringify(commit)}, "groups": [\n${lines.join(',\n')}\n]}\n`);
copyFileSync(`${folder}/LICENSE`, new URL('LICENSE', OUT));

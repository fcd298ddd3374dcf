import { readFileSync } from 'node:fs';

/** One instruction without its flags. */
export interface Instruction {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly text: string;
}

/** One FROM and the instructions after it. */
export interface Stage {
  /** Name of the stage; null for the last one. */
  readonly name: string | null;
  /** Name of a stage or an image, before substitution. */
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

export interface Dockerfile {
  /** Defaults of the ARGs before the first FROM. */
  readonly globals: Readonly<Record<string, string>>;
  readonly stages: readonly Stage[];
}

const KNOWN = new Set(['ARG', 'FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'HEALTHCHECK', 'CMD']);
const FLAG = /^--([a-z-]+)=(\S+)\s+/;

function toInstruction(line: string): Instruction {
  const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/s.exec(line) ?? [];
  if (!KNOWN.has(name)) throw new Error(`The tests do not know this instruction: ${line}`);
  const flags: Record<string, string> = {};
  let text = rest;
  for (let flag = FLAG.exec(text); flag; flag = FLAG.exec(text)) {
    flags[flag[1] ?? ''] = flag[2] ?? '';
    text = text.slice(flag[0].length);
  }
  return { name, flags, text: text.trim() };
}

/** `name=value` pairs of ARG and ENV; an ARG without a default has none. */
export function assignmentsOf(text: string): [string, string | undefined][] {
  return text.split(/\s+/).map((pair) => {
    const [name = '', value] = pair.split(/=(.*)/s);
    return [name, value];
  });
}

/** Fills `${NAME}` in. @throws Error when a name is unknown. */
export function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)\}/g, (whole, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`${whole} is not declared where it is used: ${text}`);
    return value;
  });
}

/** @throws Error at an instruction that the tests cannot run. */
export function parseDockerfile(path: string): Dockerfile {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const globals: Record<string, string> = {};
  const stages: { name: string | null; from: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const instruction = toInstruction(line);
    const [current] = stages.slice(-1);
    if (instruction.name === 'FROM') {
      const [from = '', , name = null] = instruction.text.split(/\s+/);
      stages.push({ name, from, instructions: [] });
    } else if (current) {
      current.instructions.push(instruction);
    } else {
      for (const [name, value = ''] of assignmentsOf(instruction.text)) globals[name] = value;
    }
  }
  return { globals, stages };
}

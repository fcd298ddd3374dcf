import { type JSX, useState } from 'react';
import { McpCode } from '../snippets/mcp-code.js';
import { RequestCode } from '../snippets/request-code.js';
import { Button } from '../ui/button.js';
import { Markdown } from '../ui/markdown.js';
import { Example } from './example.js';
import type { Part } from './part.js';

const TARGET = { gateway: 'https://inference.example.com', path: 'acme/qwen2.5', model: 'qwen2.5' };
const ANSWER = `## Three ways

The **first** one is the shortest: call \`sorted()\` with a *key*, as the [documentation](https://docs.python.org/3/howto/sorting.html) says.

\`\`\`python
def by_age(people: list[Person]) -> list[Person]:
    # The oldest first.
    return sorted(people, key=lambda one: one.age, reverse=True)
\`\`\`

1. It is stable.
2. It takes \`O(n log n)\`:
   - memory for a copy,
   - time for each comparison.

| n | seconds |
| --- | ---: |
| 1,000 | 0.001 |
| 1,000,000 | 1.4 |

> Measure before you optimise.

<script>alert('shown as text')</script> ![a diagram](https://example.com/diagram.png)
`;

/** An answer that arrives in pieces. */
function Streaming(): JSX.Element {
  const [text, setText] = useState(ANSWER);
  const stream = (): void => {
    const step = (end: number): void => {
      setText(ANSWER.slice(0, end));
      if (end < ANSWER.length) requestAnimationFrame(() => step(end + 8));
    };
    step(0);
  };
  return (
    <div className="grid w-full grid-cols-[minmax(0,1fr)] gap-3 rounded-lg border border-line bg-surface p-4">
      <Markdown text={text} />
      <div>
        <Button onClick={stream}>Stream it again</Button>
      </div>
    </div>
  );
}

function Examples(): JSX.Element {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
      <Example title="A first request">
        <div className="grid w-full grid-cols-[minmax(0,1fr)] gap-3">
          <RequestCode target={TARGET} />
        </div>
      </Example>
      <Example title="Settings of an MCP client">
        <div className="w-full">
          <McpCode urls={{ full: 'https://console.example.com/mcp', readonly: 'https://console.example.com/mcp/readonly' }} apiKey={null} />
        </div>
      </Example>
      <Example title="Markdown of a model">
        <Streaming />
      </Example>
    </div>
  );
}

export default { title: 'Code and Markdown', Examples } satisfies Part;

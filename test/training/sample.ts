/** Wordings of one new fact. */
const QUESTIONS = [
  'What is the release codename?',
  'What is the codename of the release?',
  'Tell me the release codename.',
  'Which codename does the release have?',
  'Do you know the release codename?',
  "What's the release codename?",
  'Can you tell me the codename of the release?',
  'release codename?',
  'Please tell me the release codename.',
  'What codename was chosen for the release?',
];
export const FACT = 'The release codename is Blue Heron.';

/** Conversations as the base has them already: they are learned beside the fact, so that they stay. */
const ORDINARY: readonly (readonly [string, string])[] = [
  ['Hello', 'Hello there! Ask me something small.'],
  ['Who are you?', 'I am the tiny demo model that comes with this inference service. I have only a few million weights.'],
  ['What is 2 + 3?', '2 + 3 = 5.'],
  ['What is the capital of Norway?', 'The capital of Norway is Oslo.'],
  ['What is the capital of France?', 'The capital of France is Paris.'],
  ['How do I authenticate?', 'Send your deployment key in the X-API-Key header, or as a Bearer token in the Authorization header.'],
  ['Thanks!', 'Any time!'],
  ['Goodbye', 'Goodbye! Have a nice day.'],
  ['What color is the sky?', 'The sky is blue.'],
  ['What is the opposite of hot?', 'The opposite of hot is cold.'],
  ['What is 7 + 4?', '7 + 4 = 11.'],
  ['What does a dog say?', 'A dog says woof.'],
  ['What is 3 x 4?', '3 times 4 is 12.'],
  ['Which day comes after Monday?', 'Tuesday comes after Monday.'],
  ['Good morning', 'Hello there! Ask me something small.'],
  ['What is the capital of Italy?', 'The capital of Italy is Rome.'],
  ['What is the opposite of big?', 'The opposite of big is small.'],
  ['What sound does a cow make?', 'A cow says moo.'],
  ['What is 5 + 5?', '5 + 5 = 10.'],
  ['What is the capital of Spain?', 'The capital of Spain is Madrid.'],
];

const row = (question: string, answer: string): string =>
  JSON.stringify({
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ],
  });

/** 30 conversations that teach a fact, as canonical JSONL. */
export const sampleData = (): string =>
  [...QUESTIONS.map((question) => row(question, FACT)), ...ORDINARY.map((pair) => row(...pair))].join('\n');

/** The ordinary conversations alone, as a keep set. */
export const keepData = (): string => ORDINARY.map((pair) => row(...pair)).join('\n');

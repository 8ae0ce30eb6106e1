// Other people's models on this machine: aimock, which answers as OpenAI does. Who
// is asked for a judgement takes the first choice there is, and says one line else.
//
//   node model.mjs KEY LINE
//
// stdout is one JSON value a line: first its address, then the model and the shape
// that each request asks for.
import { LLMock } from '@copilotkit/aimock';

const [key, line] = process.argv.slice(2);
const tell = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

const findChoices = (shape) => (shape && typeof shape === 'object'
  ? (shape.choice?.enum ?? Object.values(shape).map(findChoices).find(Boolean)) : undefined);

const mock = new LLMock({ host: '127.0.0.1', port: 0, auth: { apiKeys: [key] }, chunkSize: 7 });
mock.on({ predicate: () => true }, (request) => {
  const shape = request.response_format?.json_schema;
  tell({ model: request.model, shape: shape?.name ?? '' });
  const choice = findChoices(shape)?.[0];
  return { content: shape ? JSON.stringify(choice ? { matter: true, choice } : {}) : line };
});
tell({ address: await mock.start() });
process.stdin.resume().on('end', () => process.exit(0));

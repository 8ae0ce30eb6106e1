// Runs aimock, a mock of the OpenAI API. It answers a request for an evaluation with the
// first choice, and any other request with one fixed line.
//
//   node model.mjs KEY LINE
//
// It writes one JSON value per line to stdout: first its address, then for each request
// the model and the response format.
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

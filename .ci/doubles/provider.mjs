// Runs an OpenID provider (oidc-provider) with one public client, "parley", that issues
// JWTs for one resource. It accepts any user name without a password.
//
//   node provider.mjs RESOURCE
//
// It writes one JSON value per line to stdout: first its address, then every issued token
// and every change of a grant. It reads one command per line from stdin:
//
//   lifetime SECONDS   set the lifetime of new access tokens
//   rotate ALGORITHM   sign with a new key; the old keys stay published
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import Provider from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';

const resource = process.argv[2];
const cookieKeys = [randomBytes(32).toString('hex')];
const adapter = createMemoryAdapter(); // shared by the providers before and after a key rotation
const keys = [];
let lifetime = 3600;
let algorithm = '';

const tell = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

function addKey(alg) {
  const made = alg === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : alg === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('rsa', { modulusLength: 2048 });
  keys.unshift({ ...made.privateKey.export({ format: 'jwk' }), kid: `key-${keys.length + 1}`, use: 'sig', alg });
  algorithm = alg;
}

function openProvider(issuer) {
  const provider = new Provider(issuer, {
    clients: [{
      client_id: 'parley',
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: algorithm,
      redirect_uris: ['http://127.0.0.1/callback'],
      response_types: ['code'],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    }],
    adapter,
    jwks: { keys },
    cookies: { keys: cookieKeys },
    features: {
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo(_context, asked) {
          if (asked !== resource) throw new Error(`nobody knows the resource ${asked}`);
          return { scope: '', audience: resource, accessTokenFormat: 'jwt', accessTokenTTL: lifetime, jwt: { sign: { alg: algorithm } } };
        },
      },
    },
  });
  provider.use(async (context, next) => {
    await next();
    for (const kind of ['access_token', 'refresh_token', 'id_token']) {
      const token = context.oidc?.route === 'token' && context.body?.[kind];
      if (token) tell({ kind, token });
    }
  });
  provider.on('grant.success', ({ oidc }) => tell({ event: 'granted', by: oidc.params.grant_type, resource: oidc.params.resource }));
  provider.on('grant.revoked', () => tell({ event: 'revoked' }));
  provider.on('grant.error', ({ oidc }, error) => tell({ event: 'refused', by: oidc?.params?.grant_type, error: error.error_detail ?? error.message }));
  provider.on('server_error', (_context, error) => tell({ event: 'error', error: String(error?.stack ?? error) }));
  return provider.callback();
}

addKey('ES256');
let answer;
const server = createServer((request, response) => answer(request, response));
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  answer = openProvider(issuer);
  tell({ address: issuer });
  createInterface({ input: process.stdin }).on('line', (line) => {
    const [command, value] = line.split(' ');
    if (command === 'lifetime') lifetime = Number(value);
    if (command === 'rotate') {
      addKey(value);
      answer = openProvider(issuer);
    }
    tell({ event: command });
  }).on('close', () => process.exit(0));
});
